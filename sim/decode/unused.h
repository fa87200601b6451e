#pragma once
/// Compilers widen neighbouring shared loads to one vector load even where the last element is not theirs to read: the value goes to a
/// register that nothing reads. Such an element is no access: it is neither checked nor counted as a read of what lies there.
#include "decode/program.h"

namespace seam::sim {
/// Trailing elements of vector loads whose register nothing else in the program names.
void drop_unused_elements(Program& program);
}  // namespace seam::sim
