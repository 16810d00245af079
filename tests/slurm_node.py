"""A SLURM of one node on this machine: loopback only, no accounting, and a GPU that is none."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

#: Jobs find their configuration only here: an environment variable does not reach the steps inside a job.
CONFIGURATION = Path("/etc/slurm")
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo", "scontrol")

SLURM = """\
ClusterName=mtsig-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
# Not heard outside this machine.
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,defer_batch
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
AccountingStorageType=accounting_storage/none
# Who uses more memory than was asked for is killed, without cgroups, which need not be there in a container.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill,UsePss
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
MinJobAge=300
KillWait=2
# More cores and memory than there are: jobs are small, and none waits for ever.
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=64000 Gres=gpu:1 State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP
"""


def obstacle() -> str | None:
    """What keeps a SLURM from being started here."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"needs SLURM on this machine ({', '.join(missing)} not found; Debian: apt-get install slurm-wlm)"
    if os.geteuid() != 0:
        return "needs root: slurmd starts jobs only as root"
    if (CONFIGURATION / "slurm.conf").exists():
        return f"a SLURM is configured here already ({CONFIGURATION / 'slurm.conf'}): it is left alone"
    try:
        socket.gethostbyname(host())
    except OSError:
        return f"the host's name {host()} resolves to no address (add it to /etc/hosts)"
    return None


def host() -> str:
    return socket.gethostname().partition(".")[0]


class Node:
    """A running SLURM; its folder holds state and logs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen] = []

    def start(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self.written = [CONFIGURATION / "slurm.conf", CONFIGURATION / "gres.conf"]
        CONFIGURATION.mkdir(exist_ok=True)
        self.written[0].write_text(SLURM.format(host=host(), folder=self.folder), encoding="utf-8")
        self.written[1].write_text(f"NodeName={host()} Name=gpu Count=1 File=/dev/null\n", encoding="utf-8")
        for daemon in ("slurmctld", "slurmd"):
            self.daemons.append(subprocess.Popen([daemon, "-D"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        give_up = time.monotonic() + 60
        while self.ask("sinfo", "--noheader", "--format=%T") not in ("idle", "mixed"):
            if time.monotonic() > give_up:
                self.stop()
                logs = [(self.folder / f"{name}.log").read_text(encoding="utf-8") for name in ("slurmctld", "slurmd")]
                raise RuntimeError("SLURM does not start:\n" + "\n".join(logs))
            time.sleep(0.2)

    def stop(self) -> None:
        """End what was started, jobs first."""
        self.ask("scancel", "--full", f"--user={os.geteuid()}")
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for path in self.written:
            path.unlink(missing_ok=True)
        for daemon in self.daemons:
            daemon.wait(timeout=60)

    @staticmethod
    def ask(*command: str) -> str:
        """What a client of SLURM says."""
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30).stdout.strip()

    def jobs(self) -> list[dict[str, str]]:
        """All jobs that have ended, oldest first, with state and what they asked for."""
        path = self.folder / "jobs.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in lines]
