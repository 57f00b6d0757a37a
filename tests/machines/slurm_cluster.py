"""A Slurm cluster of one node, of this user alone, with everything in one folder and on loopback.

munged, slurmctld and slurmd of Debian run in the foreground, under a configuration of their own.
"""

import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
PROGRAMS = (*DAEMONS, "sbatch", "scontrol", "squeue", "sinfo", "scancel")
TIME_LIMIT = 30  # seconds for a state to be reached; it takes two
SET_CHILD_SUBREAPER = 36  # of prctl

# Requeued, a job waits until its old credential has expired: usually for two minutes, at least for
# the five seconds here. A job that has ended is forgotten after MinJobAge, which must outlast the
# other parts. The node has a CPU for each of four tasks, whatever the machine has.
CONFIGURATION = """
ClusterName=isotick
SlurmctldHost={host}({address})
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=600
KillWait=2
NodeName=node NodeHostname={host} NodeAddr={address} CPUs=4
PartitionName=all Nodes=node Default=YES State=UP
"""


def find_program(name):
    """Debian's daemons stand in folders that the PATH of a user does not have."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def missing_programs():
    return [name for name in PROGRAMS if find_program(name) is None]


def loopback_host():
    """This machine's name and address, and what starts daemons, which listen where the name leads.

    If that is no loopback address, as in containers, they get another name, which takes root.
    """
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError:
        address = ""
    if address.startswith("127."):
        return name.split(".")[0], address, []
    return "localhost", "127.0.0.1", ["unshare", "--uts", "sh", "-c",
                                      'hostname localhost && exec "$@"', "sh"]


def free_ports(address, count):
    sockets = [socket.create_server((address, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(reached, what, limit=TIME_LIMIT):
    """Polls; what `reached` returns when it is true."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = reached()
        if found:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"not within {limit} s: {what}")


def descendants():
    """The processes that this one started, and those of theirs that it adopted: pid to name."""
    parents, names = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = entry.read_text(encoding="utf-8", errors="replace").split(" (", 1)
        except OSError:
            continue  # it has ended
        name, rest = rest.rsplit(") ", 1)
        state, parent = rest.split()[:2]
        if state != "Z":
            parents[int(pid)], names[int(pid)] = int(parent), name
    found = {}
    for pid, name in names.items():
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and pid != above:
            found[pid] = name
    return found


def kill_all(pids):
    """And returns them."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return pids


def reap_adopted():
    """Else they stay as zombies where init takes no notice of them, as in containers."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


class Cluster:
    """Starts with the object; stop() ends all that it ever started."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(mode=0o755)  # munged refuses others
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        # What a job leaves would else be adopted by init, and found by nobody.
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o600)
        host, address, self.starter = loopback_host()
        controller_port, node_port = free_ports(address, 2)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            host=host, address=address, folder=self.folder, user=getpass.getuser(),
            controller_port=controller_port, node_port=node_port), encoding="utf-8")
        self.environment = {**os.environ, "SLURM_CONF": str(configuration)}
        self.daemons = {}
        try:
            self._start_all(configuration)
        except (OSError, subprocess.TimeoutExpired) as failed:
            said = self.log()
            self.stop()
            raise OSError(f"{failed}\n{said}") from failed

    def _start_all(self, configuration):
        within = [f"--{name}={self.folder}/munge.{name.split('-')[0]}"
                  for name in ("socket", "pid-file", "log-file", "seed-file")]
        self._start("munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                    *within)
        self._until("munged", (self.folder / "munge.socket").exists)
        self._start("slurmctld", "-D", "-f", str(configuration))
        self._start("slurmd", "-D", "-f", str(configuration), "-N", "node")
        self._until("slurmd", lambda: self.run("sinfo", "-ho", "%T").stdout.strip() == "idle")

    def _start(self, name, *arguments):
        with open(self.folder / f"{name}.out", "wb") as log:
            self.daemons[name] = subprocess.Popen(
                [*self.starter, find_program(name), *arguments], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env=self.environment, cwd=self.folder,
                start_new_session=True)

    def _until(self, name, reached):
        def reached_or_ended():
            for daemon, process in self.daemons.items():
                if process.poll() is not None:
                    raise ChildProcessError(f"{daemon} ended with {process.returncode}")
            return reached()
        wait_until(reached_or_ended, f"{name} is ready")

    def log(self):
        """The last lines of what each daemon said."""
        return "\n".join(f"{name}:\n" + "".join(
            (self.folder / f"{name}.out").read_text(errors="replace").splitlines(True)[-12:])
            for name in self.daemons)

    def run(self, *command, **how):
        return subprocess.run(command, env=self.environment, text=True, check=False,
                              capture_output=True, timeout=TIME_LIMIT, **how)

    def stop(self):
        """Ends daemons and jobs; returns what had to be killed though it should have ended."""
        daemons, self.daemons = self.daemons, {}
        if all(name in daemons and daemons[name].poll() is None for name in DAEMONS):
            self.run("scancel", "--user", getpass.getuser())
            wait_until(lambda: not self.run("squeue", "-ho", "%i").stdout, "all jobs have ended")
        for name in reversed(daemons):
            daemons[name].terminate()
            daemons[name].wait(TIME_LIMIT)
        left = descendants()
        wait_until(lambda: not kill_all(descendants()), "all have ended")
        reap_adopted()
        return left
