#include "interrupt.h"

#include <unistd.h>

#include <csignal>

namespace seam::cli {
namespace {

// A signal handler can only reach what is global.
volatile std::sig_atomic_t interrupted = 0;

void remember(int /*signal*/) {
  interrupted = 1;
  constexpr char kText[] = "\nseam: stopping after what is in progress; press Ctrl-C again to leave at once\n";
  if (::write(STDERR_FILENO, kText, sizeof(kText) - 1) < 0) return;  // nothing to be done about it here
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }

bool Interrupt::asked() { return interrupted != 0; }

}  // namespace seam::cli
