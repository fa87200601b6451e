#include "decode/decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "decode/form.h"
#include "decode/layout.h"
#include "decode/opcodes.h"
#include "decode/unused.h"
#include "ops/families.h"
#include "ops/isa.h"

namespace seam::sim {
namespace {

/// Calls are inlined; what grows beyond this is not a kernel of ours.
constexpr std::size_t kMostInstructions = 1 << 20;
constexpr int kDeepestCall = 32;
constexpr int kMostCalls = 1 << 16;
constexpr std::int64_t kMostLocal = 512 * 1024;

/// Labels of one function, by the scope they stand in.
struct Labels {
  std::vector<std::size_t> parents{0};                                  ///< by scope; [0] is the body
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> at;   ///< item
};

Labels find_labels(const Function& function) {
  Labels out;
  std::size_t scope = 0;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const Item& item = function.body[i];
    if (item.kind == Item::Kind::Open) {
      out.parents.push_back(scope);
      scope = out.parents.size() - 1;
    } else if (item.kind == Item::Kind::Close) {
      scope = out.parents[scope];
    } else if (item.kind == Item::Kind::Label || item.kind == Item::Kind::Targets) {
      out.at[{scope, item.label}] = i;
    }
  }
  return out;
}

class Emitter {
 public:
  Emitter(const Syntax& syntax, const Function& entry, bool wide)
      : syntax_(syntax), entry_(entry), registers_(program_), layout_(shared_layout(syntax, entry)) {
    program_.wide = wide;
  }

  Result<Program> run() {
    if (auto described = describe(); !described) return tl::unexpected(described.error());
    registers_.open_scope();
    declare_module();
    (void)registers_.open_function();
    if (auto done = emit_body(entry_, 0); !done) return tl::unexpected(done.error());
    append(exit_instruction(), entry_.line, "ret");
    drop_unused_elements(program_);
    program_.info.static_instructions = static_cast<std::int64_t>(program_.code.size()) - 1;
    program_.local_bytes = (program_.local_bytes + 15) / 16 * 16;
    return std::move(program_);
  }

 private:
  struct Fixup {
    std::size_t instruction;
    std::size_t scope;
    std::string_view label;
    const Statement* statement;
  };

  Result<void> describe() {
    constexpr std::int64_t kMostParameters = 32'764;  // bytes, of the largest devices
    KernelInfo& info = program_.info;
    info.name = std::string(entry_.name);
    info.max_threads = entry_.max_threads;
    std::copy(entry_.required_threads, entry_.required_threads + 3, info.required_threads);
    info.static_shared = layout_.bytes;
    program_.shared_arrays = layout_.arrays;
    program_.dynamic_start = layout_.dynamic_start;
    std::int64_t at = 0;
    for (const Variable& variable : entry_.parameters) {
      const std::int64_t align = std::max(variable.align, 1);
      at = (at + align - 1) / align * align;
      if (variable.unsized || variable.bytes() > kMostParameters - at) {
        return fail(Error::Code::BadInput, fmt::format("the parameters up to {} take more than {} bytes", variable.name, kMostParameters),
                    Position{syntax_.file, variable.line, 0});
      }
      KernelInfo::Parameter parameter;
      parameter.name = std::string(variable.name);
      parameter.offset = static_cast<int>(at);
      parameter.size = static_cast<int>(variable.bytes());
      parameter.align = static_cast<int>(align);
      parameter.pointer = variable.pointer || (variable.elements == 1 && size(variable.type) == 8 &&
                                               variable.type != Type::F64);
      info.parameters.push_back(std::move(parameter));
      at += variable.bytes();
    }
    program_.parameter_bytes = at;
    return {};
  }

  void declare_module() {
    int next = 0;
    for (const Variable& variable : syntax_.variables) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Variable;
      symbol.type = variable.type;
      symbol.space = variable.space;
      if (variable.space == Space::Shared) {
        const auto placed = layout_.global.find(variable.name);
        if (placed == layout_.global.end()) continue;
        symbol.address = placed->second;
        if (variable.external) program_.info.dynamic_shared = true;
      } else {
        if (variable.external) continue;
        symbol.global = next++;
      }
      registers_.declare_global(variable.name, symbol);
    }
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Variable;
      symbol.type = entry_.parameters[i].type;
      symbol.space = Space::Param;
      symbol.address = program_.info.parameters[i].offset;
      registers_.declare_global(entry_.parameters[i].name, symbol);
    }
  }

  Result<void> emit_body(const Function& function, int depth) {
    const Labels labels = find_labels(function);
    std::vector<std::size_t> pc_of_item(function.body.size());
    std::vector<Fixup> fixups;
    std::vector<std::size_t> returns;
    std::size_t scope = 0;
    std::size_t scopes = 0;
    for (std::size_t i = 0; i < function.body.size(); ++i) {
      const Item& item = function.body[i];
      pc_of_item[i] = program_.code.size();
      switch (item.kind) {
        case Item::Kind::Open:
          registers_.open_scope();
          scope = ++scopes;
          break;
        case Item::Kind::Close:
          registers_.close_scope();
          scope = labels.parents[scope];
          break;
        case Item::Kind::Variable:
          if (auto done = declare(function, item.index); !done) return done;
          break;
        case Item::Kind::Label:
        case Item::Kind::Targets: break;
        case Item::Kind::Statement: {
          const Statement& statement = function.statements[item.index];
          if (auto done = emit(statement, depth, scope, fixups, returns); !done) return done;
          break;
        }
      }
    }
    for (const std::size_t at : returns) {
      program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
    }
    return resolve(function, labels, pc_of_item, fixups);
  }

  Result<void> resolve(const Function& function, const Labels& labels,
                       const std::vector<std::size_t>& pc_of_item,
                       const std::vector<Fixup>& fixups) {
    for (const Fixup& fixup : fixups) {
      SEAM_TRY(const std::size_t item, item_of(labels, fixup.scope, fixup.label, *fixup.statement));
      Instruction& instruction = program_.code[fixup.instruction];
      const Item& target = function.body[item];
      const bool table = !fixup.statement->opcode.starts_with("bra");
      if (table != (target.kind == Item::Kind::Targets)) {
        return bad(*fixup.statement, fmt::format("{} is not that kind of label", fixup.label));
      }
      if (!table) {
        instruction.target = static_cast<std::uint32_t>(pc_of_item[item]);
        continue;
      }
      std::vector<std::uint32_t> pcs;
      for (const std::string_view name : target.targets) {
        SEAM_TRY(const std::size_t one, item_of(labels, fixup.scope, name, *fixup.statement));
        pcs.push_back(static_cast<std::uint32_t>(pc_of_item[one]));
      }
      instruction.target = static_cast<std::uint32_t>(program_.branch_tables.size());
      program_.branch_tables.push_back(std::move(pcs));
    }
    return {};
  }

  Result<std::size_t> item_of(const Labels& labels, std::size_t scope, std::string_view label,
                              const Statement& statement) const {
    while (true) {
      const auto at = labels.at.find({scope, label});
      if (at != labels.at.end()) return at->second;
      if (scope == 0) break;
      scope = labels.parents[scope];
    }
    return bad(statement, fmt::format("there is no label {}", label));
  }

  Result<void> declare(const Function& function, std::size_t index) {
    const Variable& variable = function.variables[index];
    if (variable.space == Space::Register) {
      if (variable.count > 0) {
        registers_.declare_range(variable.name, variable.count, variable.type);
      } else {
        Symbol symbol;
        symbol.type = variable.type;
        registers_.declare(variable.name, symbol);
      }
      return {};
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    symbol.type = variable.type;
    if (variable.space == Space::Shared) {
      symbol.space = Space::Shared;
      symbol.address = layout_.local.at({&function, index});
    } else if (variable.space == Space::Local || variable.space == Space::Param) {
      symbol.space = Space::Local;
      SEAM_TRY(symbol.address, slot(variable));
    } else {
      return fail(Error::Code::Unsupported,
                  fmt::format("variable {} in a function body", variable.name),
                  Position{syntax_.file, variable.line, 0});
    }
    registers_.declare(variable.name, symbol);
    return {};
  }

  /// A place in the thread's frame.
  Result<std::int64_t> slot(const Variable& variable) {
    const std::int64_t align = std::max(variable.align, 1);
    const std::int64_t at = (program_.local_bytes + align - 1) / align * align;
    if (variable.unsized || variable.bytes() > kMostLocal || at + variable.bytes() > kMostLocal) {
      return fail(Error::Code::Unsupported, "more local memory than a thread can have",
                  Position{syntax_.file, variable.line, 0});
    }
    program_.local_bytes = at + variable.bytes();
    return at;
  }

  Result<void> emit(const Statement& statement, int depth, std::size_t scope,
                    std::vector<Fixup>& fixups, std::vector<std::size_t>& returns) {
    if (statement.opcode.starts_with("call") &&
        (statement.opcode.size() == 4 || statement.opcode[4] == '.')) {
      return emit_call(statement, depth);
    }
    const std::string_view base = statement.opcode.substr(0, statement.opcode.find('.'));
    Form form(statement, registers_, program_.wide);
    if (const Opcode* opcode = opcode_named(base)) {
      opcode->decode(form);
    } else {
      form.refuse(fmt::format("instruction {} is not supported", base));
    }
    if (!statement.guard.empty()) {
      form.out.guard = form.predicate_register(statement.guard);
      form.out.guard_negated = statement.guard_negated;
    }
    if (auto error = form.finish(syntax_.file)) return tl::unexpected(std::move(*error));
    if (program_.code.size() >= kMostInstructions) {
      return fail(Error::Code::Unsupported, "the kernel is too large once calls are inlined",
                  Position{syntax_.file, statement.place.line, statement.column});
    }
    if (depth > 0 && base == "ret") {
      form.out.run = jump_handler();
      form.out.control = true;
      returns.push_back(program_.code.size());
    }
    if (form.branch) {
      fixups.push_back({program_.code.size(), scope, form.branch->label, &statement});
    }
    program_.code.push_back(form.out);
    program_.places.push_back(statement.place);
    program_.texts.push_back(one_line(statement.text));
    return {};
  }

  /// call (result), function, (arguments): the body comes here, its parameters are the caller's slots.
  Result<void> emit_call(const Statement& statement, int depth) {
    const std::string_view name = callee(statement);
    const Function* function = function_named(syntax_, name);
    const auto unsupported = [&](std::string why) {
      return fail(Error::Code::Unsupported,
                  fmt::format("unsupported PTX: {}: `{}`", why, one_line(statement.text)),
                  Position{syntax_.file, statement.place.line, statement.column});
    };
    if (name.empty() || !function) return unsupported("an indirect call");
    if (name == "__assertfail") return emit_assert(statement);
    if (!function->defined) return unsupported(fmt::format("{} is not defined here", name));
    if (depth >= kDeepestCall || ++calls_ > kMostCalls) {
      return unsupported("calls nest too deep (recursion?)");
    }
    std::vector<const Operand*> results;
    std::vector<const Operand*> arguments;
    bool before_name = true;
    for (const Operand& operand : statement.operands) {
      if (operand.kind == Operand::Kind::Name) {
        if (!before_name) return unsupported("an indirect call");
        before_name = false;
      } else if (operand.kind == Operand::Kind::List) {
        for (const Operand& one : operand.elements) (before_name ? results : arguments).push_back(&one);
      } else {
        return unsupported("this form of call");
      }
    }
    if (results.size() != function->results.size() ||
        arguments.size() != function->parameters.size()) {
      return bad(statement, fmt::format("{} takes other arguments", name));
    }
    std::vector<Symbol> symbols;
    for (const auto* list : {&results, &arguments}) {
      for (const Operand* one : *list) {
        const auto symbol = registers_.find(one->name);
        if (!symbol || symbol->kind != Symbol::Kind::Variable || symbol->space != Space::Local) {
          return unsupported("an argument that is not a .param variable");
        }
        symbols.push_back(*symbol);
      }
    }
    const std::size_t skip = program_.code.size();
    if (!statement.guard.empty()) {
      Form form(statement, registers_, program_.wide);
      form.out.guard = form.predicate_register(statement.guard);
      form.out.guard_negated = !statement.guard_negated;
      if (form.failed()) return bad(statement, "the guard is not a predicate");
      form.out.run = jump_handler();
      form.out.control = true;
      append(form.out, statement.place.line, "call");
    }
    const std::size_t outer = registers_.open_function();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const bool result = i < results.size();
      const Variable& formal =
          result ? function->results[i] : function->parameters[i - results.size()];
      Symbol symbol = symbols[i];
      symbol.type = formal.type;
      registers_.declare(formal.name, symbol);
    }
    if (auto done = emit_body(*function, depth + 1); !done) return done;
    registers_.close_function(outer);
    if (!statement.guard.empty()) {
      program_.code[skip].target = static_cast<std::uint32_t>(program_.code.size());
    }
    return {};
  }

  Result<void> emit_assert(const Statement& statement) {
    Form form(statement, registers_, program_.wide);
    if (!statement.guard.empty()) {
      form.out.guard = form.predicate_register(statement.guard);
      form.out.guard_negated = statement.guard_negated;
    }
    if (form.failed()) return bad(statement, "the guard is not a predicate");
    // The message is the first argument: the address of a string, in the caller's frame. offset: 1 + where; 0: not known.
    for (const Operand& operand : statement.operands) {
      if (operand.kind != Operand::Kind::List || operand.elements.empty()) continue;
      const auto text = registers_.find(operand.elements[0].name);
      if (text && text->kind == Symbol::Kind::Variable && text->space == Space::Local) form.out.offset = text->address + 1;
    }
    form.out.run = assert_handler();
    program_.code.push_back(form.out);
    program_.places.push_back(statement.place);
    program_.texts.push_back(one_line(statement.text));
    return {};
  }

  static Instruction exit_instruction() {
    Instruction out;
    out.run = exit_handler();
    return out;
  }

  void append(const Instruction& instruction, int line, std::string text) {
    program_.code.push_back(instruction);
    Place place;
    place.line = line;
    program_.places.push_back(place);
    program_.texts.push_back(std::move(text));
  }

  tl::unexpected<Error> bad(const Statement& statement, std::string why) const {
    return fail(Error::Code::BadInput, fmt::format("{}: `{}`", why, one_line(statement.text)),
                Position{syntax_.file, statement.place.line, statement.column});
  }

  const Syntax& syntax_;
  const Function& entry_;
  Program program_;
  Registers registers_;
  SharedLayout layout_;
  int calls_ = 0;
};

}  // namespace

Result<Program> decode(const Syntax& syntax, const Function& entry, bool wide) {
  return Emitter(syntax, entry, wide).run();
}

Result<std::shared_ptr<const Module>> load_ptx(std::string_view ptx, std::string_view file,
                                               std::string_view only) {
  SEAM_TRY(const Syntax syntax, parse(ptx, file));
  auto module = std::make_shared<Module>();
  module->file = std::string(file);
  module->source_files = syntax.source_files;
  std::vector<int> global_of;
  SEAM_TRY(module->globals, decode_globals(syntax, global_of));
  for (const Function& function : syntax.functions) {
    if (!function.entry || !function.defined) continue;
    if (!only.empty() && function.name != only) continue;
    SEAM_TRY(Program program, decode(syntax, function, machine_is_wide()));
    module->programs.push_back(std::move(program));
  }
  return std::shared_ptr<const Module>(std::move(module));
}

}  // namespace seam::sim
