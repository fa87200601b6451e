#include "prototype_softmax.h"

#include "prototype/ptxsim.hpp"

namespace seam::bench {

struct PrototypeSoftmax::State {
  ptx::Module module;
  std::vector<ptx::Buffer> buffers;
  ptx::Launch launch;
};

PrototypeSoftmax::PrototypeSoftmax(const std::string& text, std::vector<float>& x, std::vector<float>& y, int rows, int columns,
                                   bool checks)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  // Only this kernel: the loose decoder need not understand the others.
  const std::size_t begin = text.find(".visible .entry k_softmax(");
  const std::size_t end = text.find(".visible .entry", begin + 1);
  s.module = ptx::parse(text.substr(0, text.find(".visible .entry")) + text.substr(begin, end - begin));
  ptx::Launch& l = s.launch;
  l.k = &s.module.k.at("k_softmax");
  s.buffers = s.module.globals;
  l.par.resize(static_cast<std::size_t>(l.k->parBytes) + 16);
  int parameter = 0;
  for (auto* values : {&x, &y}) {
    ptx::Buffer buffer;
    buffer.name = parameter == 0 ? "x" : "y";
    buffer.p = reinterpret_cast<ptx::u8*>(values->data());
    buffer.size = values->size() * sizeof(float);
    buffer.writable = parameter == 1;
    buffer.init.assign(checks ? buffer.size : 1, parameter == 0 ? 1 : 0);
    s.buffers.push_back(buffer);
    const ptx::u64 address = static_cast<ptx::u64>(s.buffers.size()) << ptx::BUFSH;
    std::memcpy(&l.par[static_cast<std::size_t>(l.k->params[static_cast<std::size_t>(parameter)].off)], &address, 8);
    ++parameter;
  }
  std::memcpy(&l.par[static_cast<std::size_t>(l.k->params[2].off)], &columns, 4);
  l.grid[0] = static_cast<ptx::u32>(rows);
  l.blk[0] = 256;
  l.dyn = (columns + 32) * 4;
  l.bufs = &s.buffers;
  l.check = checks;
  l.count = true;
}
PrototypeSoftmax::~PrototypeSoftmax() = default;

void PrototypeSoftmax::run() {
  state_->launch.st = {};
  ptx::run(state_->launch);
}

}  // namespace seam::bench
