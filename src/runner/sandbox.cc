#include "runner/sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/process.h"

namespace ki::runner {
namespace {

constexpr uid_t kNobody = 65534;
constexpr std::uint32_t kPropagationPrivate = 1U << 18U;  // MS_PRIVATE of <sys/mount.h>

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name the seccomp architecture"
#endif

// What computing with threads, a JIT compiler and shared libraries needs.
constexpr long kAllowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_lseek,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_sched_yield,
    SYS_getcpu,
    SYS_sched_getaffinity,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrusage,
    SYS_times,
    SYS_uname,
    SYS_sysinfo,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_getrandom,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_getdents64,
    SYS_getcwd,
    SYS_ppoll,
    SYS_fcntl,
    SYS_membarrier,
    SYS_get_mempolicy,
    SYS_mbind,
    SYS_sched_setaffinity,
    SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_arch_prctl,
    SYS_poll,
    SYS_time,
    SYS_getdents,
#endif
};

// What nobody asks for who only computes.
constexpr long kFatal[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_kill,
    SYS_tkill,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_bpf,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_init_module,
    SYS_reboot,
    SYS_io_uring_setup,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
#endif
};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1);  // the x32 names of the same calls
    give(SECCOMP_RET_KILL_PROCESS);
#endif
  }
  void on(long call, std::uint32_t verdict) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    give(verdict);
  }
  // `yes` when (argument & mask) == value, else `no`.
  void on_argument(long call, unsigned argument, std::uint32_t mask, std::uint32_t value,
                   std::uint32_t yes, std::uint32_t no) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 5);
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument));
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    give(yes);
    give(no);
  }
  Status install() {
    give(SECCOMP_RET_ERRNO | EPERM);
    const sock_fprog program{.len = static_cast<unsigned short>(code_.size()),
                             .filter = code_.data()};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      return fail(Code::unavailable,
                  std::string("the kernel takes no seccomp filter: ") + std::strerror(errno));
    }
    return {};
  }

 private:
  void add(unsigned code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
    code_.push_back({static_cast<std::uint16_t>(code), yes, no, k});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  void give(std::uint32_t verdict) { add(BPF_RET | BPF_K, verdict, 0, 0); }
  std::vector<sock_filter> code_;
};

Status filter_calls() {
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EACCES;
  Filter filter;
  for (const long call : kAllowed) filter.on(call, SECCOMP_RET_ALLOW);
  // UBSan asks the kernel by a pipe whether it may read an address.
  if (kAddressSanitizer) filter.on(SYS_pipe2, SECCOMP_RET_ALLOW);
#if defined(__x86_64__)
  if (kAddressSanitizer) filter.on(SYS_pipe, SECCOMP_RET_ALLOW);
#endif
  for (const long call : kFatal) filter.on(call, SECCOMP_RET_KILL_PROCESS);
  filter.on_argument(SYS_openat, 2, kWriting, 0, SECCOMP_RET_ALLOW, kDeny);
#if defined(__x86_64__)
  filter.on_argument(SYS_open, 1, kWriting, 0, SECCOMP_RET_ALLOW, kDeny);
#endif
  filter.on_argument(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD, SECCOMP_RET_ALLOW,
                     SECCOMP_RET_KILL_PROCESS);
  filter.on(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);  // libraries then use clone
  filter.on(SYS_ioctl, SECCOMP_RET_ERRNO | ENOTTY);
  filter.on_argument(SYS_tgkill, 0, ~0U, static_cast<std::uint32_t>(getpid()), SECCOMP_RET_ALLOW,
                     SECCOMP_RET_KILL_PROCESS);                            // abort() signals itself
  filter.on_argument(SYS_prlimit64, 2, ~0U, 0, SECCOMP_RET_ALLOW, kDeny);  // to read one
  return filter.install();
}

Status limit(int which, std::int64_t most) {
  const rlimit bound{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  if (setrlimit(static_cast<__rlimit_resource_t>(which), &bound) == 0) return {};
  return fail(Code::unavailable, std::string("a limit cannot be set: ") + std::strerror(errno));
}

bool make_read_only() {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  attributes.propagation = kPropagationPrivate;
  return syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) ==
         0;
}

void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &header, none);
}

// Namespaces of its own, then another user where this one is root.
void leave_the_machine(std::vector<std::string>& in_force) {
  const bool root = geteuid() == 0;
  const int spaces = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS;
  if (unshare(root ? spaces : spaces | CLONE_NEWUSER) == 0) {
    in_force.emplace_back("no network");
    if (make_read_only()) in_force.emplace_back("read-only file system");
  }
  if (root && setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
      setresuid(kNobody, kNobody, kNobody) == 0) {
    in_force.emplace_back("user nobody");
  }
  drop_capabilities();
}

}  // namespace

Result<std::vector<std::string>> confine(const Confinement& limits) {
  std::vector<std::string> in_force;
  const pid_t parent = getppid();
  if (parent == 1) return fail(Code::unavailable, "the parent is gone");
  leave_the_machine(in_force);
  // After the change of user, which clears it.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
    return fail(Code::unavailable, "the parent is gone");
  }
  TRY(limit(RLIMIT_CORE, 0));
  TRY(limit(RLIMIT_FSIZE, 0));
  TRY(limit(RLIMIT_NOFILE, 256));
  if (!kAddressSanitizer) {
    TRY(limit(RLIMIT_AS, limits.memory_bytes));
  }
  TRY(limit(RLIMIT_CPU, limits.cpu_seconds));
  in_force.emplace_back("limits");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(Code::unavailable, "the kernel keeps new privileges possible");
  }
  TRY(filter_calls());
  in_force.emplace_back("seccomp");
  return in_force;
}

}  // namespace ki::runner
