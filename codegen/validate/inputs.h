#pragma once
#include "codegen/inputs.h"  // IWYU pragma: export
