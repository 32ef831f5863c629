// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See moved_notes.h.
#include "elf/moved_notes.h"
#include "elf/elf_file.h"
#include "modules/point_table.h"

#include <string.h>

namespace tprt {

// The first record of the table of points, as a table of one record.
static PointRecords firstPoint(const FoundModule &found) {
  constexpr uint32_t kSled = sizeof(tprt_point_sled_record) / sizeof(int32_t);
  constexpr uint32_t kStaticBranch =
      sizeof(tprt_branch_record) / sizeof(int32_t);
  PointRecords all(found);
  return {found.points,
          all.next() && all.isStaticBranch() ? kStaticBranch : kSled};
}

bool leadsAstray(const FoundModule &found) {
  uint32_t bad = 0;
  return found.fault || found.pointFault || found.unbounded ||
         (found.recordCount &&
          checkRecords(found.records, 1, found.kept(), &bad)) ||
         (found.branchCount + found.pointCount &&
          checkPoints(firstPoint(found), found.kept(), &bad));
}

TableExtents tablesInFile(const FoundModule &found) {
  static constexpr struct {
    uint32_t type;
    const char *section;
  } kTables[] = {{TPRT_TABLE_VERSION, TPRT_TABLE_SECTION},
                 {TPRT_NAMES_VERSION, TPRT_NAMES_SECTION},
                 {TPRT_USDT_VERSION, TPRT_USDT_SECTION},
                 {TPRT_POINTS_VERSION, TPRT_POINTS_SECTION}};
  TableExtents tables{};
  ElfFile file(found, found.path);
  for (const auto &table : kTables)
    if (const Elf64_Shdr *section = file.find(table.section);
        section && section->sh_flags & SHF_ALLOC)
      tables.of[table.type] = {found.base + section->sh_addr,
                               found.base + section->sh_addr +
                                   section->sh_size};
  return tables;
}

} // namespace tprt
