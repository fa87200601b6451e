#include "program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace seam::cli::test {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Ran seam(const std::vector<std::string>& arguments, int interrupt_after_ms) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("seam_cli_test_streams_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  std::vector<std::string> all = {SEAM_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& a : all) argv.push_back(a.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);  // NOLINT(cppcoreguidelines-pro-type-vararg)
    ::dup2(::open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);  // NOLINT(cppcoreguidelines-pro-type-vararg)
    ::execv(SEAM_PROGRAM, argv.data());
    ::_exit(127);
  }
  if (interrupt_after_ms > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(interrupt_after_ms));
    ::kill(child, SIGINT);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Ran ran;
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = contents(out);
  ran.err = contents(err);
  std::filesystem::remove_all(folder);
  return ran;
}

std::string module(const std::string& name) { return std::string(SEAM_TEST_DATA) + "/xla/" + name; }

}  // namespace seam::cli::test
