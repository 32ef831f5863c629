// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of libtprt-code.so: dead bytes, instructions, and straight runs.
#include "decode/instruction.h"
#include "decode/reader.h"
#include "sites/padding.h"
#include "tprt/tprt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <link.h>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace tprt;

namespace {

Instruction decoded(std::initializer_list<uint8_t> Bytes) {
  std::vector<uint8_t> Code(Bytes);
  Instruction Out = {};
  decode(Code.data(), Code.size(), Out);
  return Out;
}

TEST(DeadBytes, AreTakenFromEitherEndOfARun) {
  DeadBytes Dead;
  ASSERT_TRUE(Dead.add(100, 112));
  EXPECT_EQ(Dead.takeNear(0, 200, 5, 4), 107u);
  EXPECT_FALSE(Dead.takeAt(101, 4));
  EXPECT_TRUE(Dead.takeAt(100, 4));
  EXPECT_FALSE(Dead.takeAt(104, 4));
  EXPECT_EQ(Dead.takeNear(0, 200, 5, 0), 0u);
}

TEST(DeadBytes, AreTakenAsFarAsTheyGo) {
  DeadBytes Dead;
  ASSERT_TRUE(Dead.add(100, 103));
  EXPECT_EQ(Dead.takeUpTo(101, 4), 0u) << "the run begins before";
  EXPECT_TRUE(Dead.hasAt(100, 3));
  EXPECT_FALSE(Dead.hasAt(100, 4));
  EXPECT_FALSE(Dead.hasAt(101, 1));
  EXPECT_EQ(Dead.takeUpTo(100, 2), 2u);
  EXPECT_EQ(Dead.takeUpTo(102, 4), 1u);
  EXPECT_EQ(Dead.takeUpTo(102, 4), 0u);
}

TEST(DeadBytes, SpareWhatAReturnInFrontOfThemNeeds) {
  DeadBytes Dead;
  ASSERT_TRUE(Dead.add(100, 106)); // too short for both
  ASSERT_TRUE(Dead.add(150, 160));
  EXPECT_EQ(Dead.takeNear(0, 200, 5, 4), 155u);
  EXPECT_EQ(Dead.takeNear(0, 200, 5, 4), 101u) << "else any run";
}

TEST(DeadBytes, EndWhereAJumpLeads) {
  DeadBytes Dead;
  ASSERT_TRUE(Dead.add(100, 116));
  const uint32_t Targets[] = {50, 106, 300};
  Dead.cut(Targets, 3);
  EXPECT_TRUE(Dead.takeAt(100, 4));
  EXPECT_EQ(Dead.takeNear(0, 200, 5, 0), 0u);
}

TEST(DeadBytes, OutOfReachAreNotTaken) {
  DeadBytes Dead;
  ASSERT_TRUE(Dead.add(100, 120));
  EXPECT_EQ(Dead.takeNear(200, 300, 5, 0), 0u);
  EXPECT_EQ(Dead.takeNear(0, 99, 5, 0), 0u);
  EXPECT_EQ(Dead.takeNear(0, 100, 5, 0), 100u);
  EXPECT_EQ(Dead.takeNear(0, 110, 5, 4), 110u) << "the middle of a run";
  EXPECT_EQ(Dead.takeNear(111, 200, 5, 0), 115u) << "what came after it";
  EXPECT_TRUE(Dead.takeAt(105, 4));
}

TEST(Instruction, SaysHowItGoesOn) {
  EXPECT_EQ(decoded({0x55}).flow, Flow::Next);
  EXPECT_EQ(decoded({0x66, 0x90}).flow, Flow::Nop);
  EXPECT_EQ(decoded({0xf3, 0x0f, 0x1e, 0xfa}).flow, Flow::LandingPad);
  EXPECT_EQ(decoded({0xe8, 1, 0, 0, 0}).flow, Flow::Call);
  EXPECT_EQ(decoded({0xff, 0xd0}).flow, Flow::Call);
  EXPECT_EQ(decoded({0xeb, 0x10}).flow, Flow::Jump);
  EXPECT_EQ(decoded({0x74, 0x10}).flow, Flow::Branch);
  EXPECT_EQ(decoded({0xe3, 0x10}).flow, Flow::ShortBranch);
  EXPECT_EQ(decoded({0xff, 0x25, 1, 0, 0, 0}).flow, Flow::JumpMemory);
  EXPECT_EQ(decoded({0xff, 0xe0}).flow, Flow::JumpRegister);
  EXPECT_EQ(decoded({0x41, 0xff, 0xe3}).target, 11);
  EXPECT_TRUE(decoded({0x3e, 0xff, 0xe0}).isNotTracked);
  EXPECT_FALSE(decoded({0xff, 0xe0}).isNotTracked);
  EXPECT_EQ(decoded({0xff, 0x60, 0x08}).flow, Flow::JumpPointer);
  EXPECT_EQ(decoded({0xff, 0x24, 0x24}).flow, Flow::JumpPointer) << "*(%rsp)";
  EXPECT_EQ(decoded({0xff, 0x24, 0xc2}).flow, Flow::JumpTable);
  EXPECT_EQ(decoded({0x42, 0xff, 0x24, 0x20}).flow, Flow::JumpTable) << "%r12";
  EXPECT_EQ(decoded({0xff, 0x24, 0xc5, 1, 0, 0, 0}).flow, Flow::JumpTable);
  EXPECT_EQ(decoded({0xc3}).flow, Flow::Return);
  EXPECT_EQ(decoded({0xcc}).flow, Flow::Stop);
  EXPECT_EQ(decoded({0x0f, 0x05}).flow, Flow::Bound) << "syscall";
  EXPECT_EQ(decoded({0xc7, 0xf8, 0, 0, 0, 0}).flow, Flow::Bound) << "xbegin";
  EXPECT_EQ(decoded({0x67, 0x8b, 0x05, 1, 0, 0, 0}).flow, Flow::Bound)
      << "relative to eip";
  EXPECT_EQ(decoded({0x06}).length, 0) << "not in 64-bit mode";
  EXPECT_EQ(decoded({0xd5, 0x18, 0x01, 0xc0}).length, 0) << "REX2, unknown";
}

static Effect effect(unsigned Target, std::initializer_list<uint8_t> Code,
                     unsigned *Then = nullptr) {
  Effect Is = effectOn(Target, std::data(Code), Code.size());
  if (Then)
    *Then = Target;
  return Is;
}

TEST(Instruction, SaysWhatItDoesToARegister) {
  EXPECT_EQ(effect(0, {0x48, 0x01, 0xd0}), Effect::Computes) << "add %rdx,%rax";
  EXPECT_EQ(effect(2, {0x48, 0x01, 0xd0}), Effect::None);
  EXPECT_EQ(effect(0, {0x48, 0x8d, 0x04, 0x02}), Effect::Computes) << "lea";
  EXPECT_EQ(effect(0, {0x48, 0x63, 0x04, 0x82}), Effect::Computes) << "movslq";
  EXPECT_EQ(effect(0, {0x8b, 0x04, 0x82}), Effect::Computes) << "movl";
  EXPECT_EQ(effect(0, {0x30, 0xc0}), Effect::Computes) << "xor %al, %al";
  EXPECT_EQ(effect(2, {0x48, 0xf7, 0xe1}), Effect::Computes) << "mul %rcx";
  EXPECT_EQ(effect(1, {0x48, 0x8b, 0x0c, 0xc2}), Effect::LoadsByIndex);
  EXPECT_EQ(effect(1, {0x48, 0x8b, 0x4a, 8}), Effect::Loads);
  EXPECT_EQ(effect(9, {0x41, 0x59}), Effect::Loads) << "pop %r9";
  unsigned Then = 0;
  EXPECT_EQ(effect(0, {0x4c, 0x89, 0xd8}, &Then), Effect::Copies) << "mov";
  EXPECT_EQ(Then, 11u);
  EXPECT_EQ(effect(0, {0x48, 0x0f, 0x44, 0xc1}), Effect::MayCopy) << "cmove";
  EXPECT_EQ(effect(3, {0x53}), Effect::None) << "push %rbx";
}

TEST(Instruction, SaysWhatMayBeAnAddress) {
  EXPECT_EQ(decoded({0xbf, 0x34, 0x12, 0x40, 0}).constant, 0x401234u);
  EXPECT_EQ(decoded({0x48, 0x8d, 0x04, 0xc5, 0x34, 0x12, 0x40, 0}).constant,
            0x401234u);
  EXPECT_EQ(decoded({0x48, 0x8d, 0x05, 0x34, 0x12, 0x40, 0}).constant, 0u)
      << "a distance";
  EXPECT_EQ(decoded({0x05, 0x34, 0x12, 0x40, 0}).constant, 0u) << "add";
}

TEST(Instruction, SaysWhetherAssemblersPadWithIt) {
  EXPECT_TRUE(decoded({0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}).isPadding);
  EXPECT_FALSE(decoded({0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0}).isPadding)
      << "XRay's";
  EXPECT_FALSE(decoded({0x55}).isPadding);
}

TEST(Instruction, SaysWhereItsDistanceIs) {
  Instruction Compare = decoded({0x83, 0x3d, 1, 2, 0, 0, 7}); // cmpl $7, (%rip)
  EXPECT_EQ(Compare.length, 7);
  EXPECT_EQ(Compare.field, 2);
  EXPECT_EQ(Compare.fieldBytes, 4);
  EXPECT_EQ(Compare.distance, 0x201);
  Instruction Short = decoded({0x75, 0xfe});
  EXPECT_EQ(Short.field, 1);
  EXPECT_EQ(Short.fieldBytes, 1);
  EXPECT_EQ(Short.distance, -2);
  EXPECT_EQ(decoded({0x48, 0x8b, 0x04, 0x25, 1, 0, 0, 0}).fieldBytes, 0)
      << "an absolute address";
}

// The results of readPlain() for the first instruction: its length, and its
// link.
struct Plain {
  size_t Length = 0;
  std::vector<PlainLink> Links;
};
Plain plainAt(const uint8_t *At, bool HasAddresses, bool IsAfterEnd) {
  constexpr uint32_t kMost = 1 << 20;
  static std::optional<CodeBits> All;
  static uint32_t Next = kMost; // each call uses other bits
  if (Next == kMost) {
    EXPECT_TRUE(All.emplace().make(0, kMost));
    Next = 0;
  }
  CodeBits &Starts = *All;
  PlainLink Links[kMostLinks];
  uint32_t Offset = Next;
  PlainCode From = {At,         kMostDecoded, kMostDecoded, Offset,
                    IsAfterEnd, HasAddresses, false};
  PlainRun Run = readPlain(From, Starts, Links);
  Plain First;
  if (!Run.bytes)
    return First;
  Next += kMostDecoded;
  EXPECT_TRUE(Starts.has(Offset));
  auto End = static_cast<uint32_t>(Offset + Run.bytes);
  First.Length = Starts.firstFrom(Offset + 1, End) - Offset;
  if (Run.links && Links[0].end == First.Length)
    First.Links.push_back(Links[0]);
  return First;
}

PlainLink::Kind kindOf(Flow Flow) {
  switch (Flow) {
  case Flow::Call:
    return PlainLink::Call;
  case Flow::Branch:
    return PlainLink::Branch;
  case Flow::Jump:
    return PlainLink::Jump;
  case Flow::Return:
    return PlainLink::Return;
  default:
    return PlainLink::Operand;
  }
}

// If readPlain() treats an instruction as plain, the instruction has that
// length, and its other properties do not matter.
bool agreesOnPlain(const uint8_t *At, bool IsKnown, const Instruction &Full) {
  Plain Any = plainAt(At, false, false), NoNumber = plainAt(At, true, false),
        After = plainAt(At, false, true);
  auto isSame = [&](const Plain &Other) {
    return !Other.Length || Other.Length == Any.Length;
  };
  const bool Returns = Full.flow == Flow::Return,
             Pads = Full.isPadding && Full.length > 1,
             SaidToPad = !After.Links.empty() &&
                         After.Links[0].kind == PlainLink::Padding;
  if (!isSame(NoNumber) || !isSame(After) ||
      (NoNumber.Length && Full.constant) || (After.Length && Pads != SaidToPad))
    return false;
  if (!Any.Length)
    return true;
  const bool Links = Full.fieldBytes || Returns;
  if (!IsKnown || Any.Length != Full.length || Any.Links.size() != Links)
    return false;
  const bool IsPlain = Full.flow == Flow::Next || Full.flow == Flow::Nop ||
                       Returns || (Full.isDirect() && Full.fieldBytes);
  return IsPlain &&
         (!Links || (Any.Links[0].kind == kindOf(Full.flow) &&
                     (Returns || Any.Links[0].distance == Full.distance)));
}

// The length of a run of these bytes, and its end.
PlainRun plainRun(std::initializer_list<uint8_t> Bytes, size_t Room,
                  bool HasMarks = false) {
  std::vector<uint8_t> Code(Bytes);
  Code.resize(Room + kMostDecoded, 0xcc);
  CodeBits Starts;
  EXPECT_TRUE(Starts.make(0, static_cast<uint32_t>(Code.size())));
  PlainLink Links[kMostLinks];
  return readPlain({Code.data(), Room, Code.size(), 0, false, false, HasMarks},
                   Starts, Links);
}

TEST(Plain, ContinuesAfterJumpsAndPadding) {
  // jmp; ret after it
  EXPECT_EQ(plainRun({0xeb, 0x10, 0xc3}, 3).bytes, 3u);
  EXPECT_EQ(plainRun({0xeb, 0x10, 0x50}, 3).bytes, 3u);
  // ret; nopw, push
  EXPECT_EQ(plainRun({0xc3, 0x66, 0x0f, 0x1f, 0x44, 0, 0, 0x50}, 8).bytes, 8u);
  EXPECT_EQ(plainRun({0x50, 0x66, 0x0f, 0x1f, 0x44, 0, 0}, 7).bytes, 7u);
}

TEST(Plain, TellsPaddingFromNopsOfTheProgram) {
  auto links = [](std::initializer_list<uint8_t> Bytes) {
    return plainRun(Bytes, Bytes.size()).links;
  };
  EXPECT_EQ(links({0x50, 0x66, 0x90}), 0u) << "a thread gets there";
  EXPECT_EQ(links({0xc3, 0x66, 0x90}), 2u) << "ret and padding";
  EXPECT_EQ(links({0xc3, 0x66, 0x90, 0x0f, 0x1f, 0x00}), 3u);
  EXPECT_EQ(links({0xc3, 0x90}), 1u) << "a nop of one byte";
  EXPECT_EQ(links({0xc3, 0x90, 0x66, 0x90}), 1u) << "after that";
  EXPECT_EQ(links({0xc3, 0x0f, 0x1f, 0x40, 0x08}), 1u) << "a displacement";
}

TEST(Plain, SaysHowItsLastInstructionGoesOn) {
  EXPECT_EQ(plainRun({0x50, 0xc3}, 2).last, Flow::Jump);
  EXPECT_EQ(plainRun({0xe8, 1, 0, 0, 0}, 5).last, Flow::Call);
  EXPECT_EQ(plainRun({0xeb, 0x10, 0x50}, 3).last, Flow::Next);
  EXPECT_EQ(plainRun({0xc3, 0x66, 0x90}, 3).last, Flow::Nop) << "padding";
}

TEST(Plain, EndsWithItsFunctionInTheMiddleOfNoInstruction) {
  EXPECT_EQ(plainRun({0x50, 0x48, 0x89, 0xe5}, 4).bytes, 4u);
  EXPECT_EQ(plainRun({0x50, 0x48, 0x89, 0xe5}, 3).bytes, 1u);
}

TEST(Plain, LeavesNopsAndJumpsToOthersWhereTheyMayStandForOthers) {
  EXPECT_EQ(plainRun({0x50, 0xeb, 0x10}, 3, true).bytes, 1u);
  EXPECT_EQ(plainRun({0x50, 0xc3}, 2, true).bytes, 1u);
  EXPECT_EQ(plainRun({0x50, 0x0f, 0x1f, 0, 0x50}, 5, true).bytes, 1u);
}

std::string bytesOf(const uint8_t *At) {
  std::string Text;
  for (size_t I = 0; I < 15; ++I) {
    Text += "0123456789abcdef"[At[I] >> 4];
    Text += "0123456789abcdef"[At[I] & 15];
  }
  return Text;
}

// Compares the fast decoder with Zydis at every byte. Most bytes are inside an
// instruction, so this compares more kinds of instructions than the code
// contains. Returns the number of compared instructions.
size_t compareDecoders(const uint8_t *From, const uint8_t *To,
                       std::string &Differences) {
  for (const uint8_t *At = From; At < To; ++At) {
    auto Room = static_cast<size_t>(To - At);
    Instruction Quick, Full;
    bool IsKnown = decode(At, Room, Quick), Is = decodeInFull(At, Room, Full);
    if (Room >= kMostDecoded && !agreesOnPlain(At, Is, Full))
      Differences += "plain ";
    else if (IsKnown == Is && (!Is || memcmp(&Quick, &Full, sizeof Quick) == 0))
      continue;
    for (size_t I = 0; I < std::min<size_t>(Room, 15); ++I)
      Differences += "0123456789abcdef"[At[I] >> 4],
          Differences += "0123456789abcdef"[At[I] & 15];
    Differences += '\n';
    if (Differences.size() > 1000)
      break;
  }
  return static_cast<size_t>(To - From);
}

TEST(Instruction, IsTheSameAsZydisSaysAtEveryByteOfLibraries) {
  struct Compared {
    size_t Bytes = 0;
    std::string Differences;
  } All;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &To = *static_cast<Compared *>(Data);
        for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
          const auto &P = Info->dlpi_phdr[I];
          const auto *Start =
              reinterpret_cast<const uint8_t *>(Info->dlpi_addr + P.p_vaddr);
          if (P.p_type == PT_LOAD && P.p_flags == (PF_R | PF_X))
            To.Bytes +=
                compareDecoders(Start, Start + P.p_memsz, To.Differences);
        }
        return 0;
      },
      &All);
  EXPECT_GT(All.Bytes, 1000000u) << "the C and C++ libraries";
  EXPECT_EQ(All.Differences, "");
}

TEST(Instruction, IsTheSameAsZydisSaysOfAnyBytes) {
  std::vector<uint8_t> Bytes(1 << 20);
  std::mt19937 Random(1);
  for (uint8_t &Byte : Bytes)
    Byte = static_cast<uint8_t>(Random());
  std::string Differences;
  compareDecoders(Bytes.data(), Bytes.data() + Bytes.size(), Differences);
  EXPECT_EQ(Differences, "");
}

// Random bytes rarely begin vector instructions or locked instructions.
TEST(Instruction, IsTheSameAsZydisSaysOfVectorsAndLocks) {
  constexpr size_t kStep = 16, kCount = 1 << 18;
  std::vector<uint8_t> Bytes(kStep * (kCount + 1));
  std::mt19937 Random(1);
  for (uint8_t &Byte : Bytes)
    Byte = static_cast<uint8_t>(Random());
  for (size_t I = 0; I < kCount; ++I) {
    uint8_t *At = &Bytes[I * kStep];
    const uint8_t NoSource = I & 8 ? 0x78 : 0;
    switch (I % 4) {
    case 0: // EVEX, in most cases with bits that processors accept
    case 1:
      At[0] = 0x62;
      At[1] = static_cast<uint8_t>((At[1] & 0xf0) | (1 + At[1] % 3));
      At[2] |= static_cast<uint8_t>(4 | NoSource);
      At[3] = static_cast<uint8_t>((At[3] & (I & 16 ? 0xff : 0x6f)) | 8);
      break;
    case 2: // VEX
      At[0] = 0xc5;
      At[1] |= NoSource;
      break;
    default: // cmpxchg, xadd, shifts of vectors and others
      At[0] = I & 8 ? 0xf0 : 0x66;
      At[1] = 0x0f;
    }
  }
  size_t Known = 0;
  for (size_t I = 0; I < kCount; ++I) {
    const uint8_t *At = &Bytes[I * kStep];
    Instruction Quick, Full;
    const bool Is = decodeInFull(At, kStep, Full);
    ASSERT_EQ(decode(At, kStep, Quick), Is) << bytesOf(At);
    ASSERT_TRUE(!Is || memcmp(&Quick, &Full, sizeof Quick) == 0) << bytesOf(At);
    Known += Is;
  }
  EXPECT_GT(Known, kCount / 8);
}

TEST(Instruction, EndsWhereItsBytesDo) {
  Instruction Out;
  for (size_t Room = 0; Room < 7; ++Room) {
    const uint8_t Code[] = {0x48, 0x8d, 0x05, 1, 2, 3, 4}; // leaq
    std::vector<uint8_t> Short(Code, Code + Room);
    EXPECT_FALSE(decode(Short.data(), Room, Out)) << Room;
  }
}

} // namespace
