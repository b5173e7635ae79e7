#include "support/faulty_vfs.h"

#include <sqlite3.h>

namespace ki::test {
namespace {

struct Plan {
  std::int64_t at = 0;
  std::int64_t done = 0;
  Fault fault{};
  bool crashed = false;
};
Plan plan;

enum class Verdict { proceed, fail, tear };

Verdict next_operation() {
  ++plan.done;
  if (plan.crashed) return Verdict::fail;
  if (plan.at == 0 || plan.done != plan.at) return Verdict::proceed;
  plan.crashed = plan.fault == Fault::torn_write;
  return plan.crashed ? Verdict::tear : Verdict::fail;
}

int error_code(int io_error) {
  return plan.fault == Fault::disk_full && !plan.crashed ? SQLITE_FULL : io_error;
}

// The real file lies behind this struct, in the same allocation.
struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  const sqlite3_io_methods* methods() { return real()->pMethods; }
};

File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

int close_file(sqlite3_file* f) { return of(f)->methods()->xClose(of(f)->real()); }
int read_file(sqlite3_file* f, void* into, int count, sqlite3_int64 at) {
  return of(f)->methods()->xRead(of(f)->real(), into, count, at);
}
int write_file(sqlite3_file* f, const void* from, int count, sqlite3_int64 at) {
  switch (next_operation()) {
    case Verdict::proceed:
      return of(f)->methods()->xWrite(of(f)->real(), from, count, at);
    case Verdict::tear:
      of(f)->methods()->xWrite(of(f)->real(), from, count / 2, at);
      break;
    case Verdict::fail:
      break;
  }
  return error_code(SQLITE_IOERR_WRITE);
}
int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
  if (next_operation() != Verdict::proceed) return error_code(SQLITE_IOERR_TRUNCATE);
  return of(f)->methods()->xTruncate(of(f)->real(), size);
}
int sync_file(sqlite3_file* f, int flags) {
  if (next_operation() != Verdict::proceed) return error_code(SQLITE_IOERR_FSYNC);
  return of(f)->methods()->xSync(of(f)->real(), flags);
}
int file_size(sqlite3_file* f, sqlite3_int64* size) {
  return of(f)->methods()->xFileSize(of(f)->real(), size);
}
int lock_file(sqlite3_file* f, int level) { return of(f)->methods()->xLock(of(f)->real(), level); }
int unlock_file(sqlite3_file* f, int level) {
  return of(f)->methods()->xUnlock(of(f)->real(), level);
}
int check_lock(sqlite3_file* f, int* held) {
  return of(f)->methods()->xCheckReservedLock(of(f)->real(), held);
}
int control(sqlite3_file* f, int what, void* argument) {
  return of(f)->methods()->xFileControl(of(f)->real(), what, argument);
}
int sector_size(sqlite3_file* f) { return of(f)->methods()->xSectorSize(of(f)->real()); }
int characteristics(sqlite3_file* f) {
  return of(f)->methods()->xDeviceCharacteristics(of(f)->real());
}
int shared_map(sqlite3_file* f, int page, int size, int extend, void volatile** into) {
  return of(f)->methods()->xShmMap(of(f)->real(), page, size, extend, into);
}
int shared_lock(sqlite3_file* f, int offset, int n, int flags) {
  return of(f)->methods()->xShmLock(of(f)->real(), offset, n, flags);
}
void shared_barrier(sqlite3_file* f) { of(f)->methods()->xShmBarrier(of(f)->real()); }
int shared_unmap(sqlite3_file* f, int remove) {
  return of(f)->methods()->xShmUnmap(of(f)->real(), remove);
}

const sqlite3_io_methods kMethods = {2,
                                     close_file,
                                     read_file,
                                     write_file,
                                     truncate_file,
                                     sync_file,
                                     file_size,
                                     lock_file,
                                     unlock_file,
                                     check_lock,
                                     control,
                                     sector_size,
                                     characteristics,
                                     shared_map,
                                     shared_lock,
                                     shared_barrier,
                                     shared_unmap,
                                     nullptr,
                                     nullptr};

sqlite3_vfs* real_vfs() { return sqlite3_vfs_find("unix"); }

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out_flags) {
  f->pMethods = nullptr;
  const int result = real_vfs()->xOpen(real_vfs(), name, of(f)->real(), flags, out_flags);
  if (of(f)->methods() != nullptr) f->pMethods = &kMethods;
  return result;
}

}  // namespace

std::string faulty_vfs() {
  static sqlite3_vfs layer = [] {
    sqlite3_vfs made = *real_vfs();
    made.zName = "ki_faulty";
    made.szOsFile += static_cast<int>(sizeof(File));
    made.xOpen = open_file;
    made.pNext = nullptr;
    return made;
  }();
  static const int registered = sqlite3_vfs_register(&layer, 0);
  static_cast<void>(registered);
  return "ki_faulty";
}

void arm(std::int64_t n, Fault fault) { plan = {.at = n, .done = 0, .fault = fault}; }
void disarm() { plan = {}; }
std::int64_t operations() { return plan.done; }

}  // namespace ki::test
