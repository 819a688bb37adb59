package io.haft;

/**
 * What the launcher of this process said: haft-run, torchrun, mpirun, srun or a Kubernetes indexed job. A process that none
 * started is rank 0 of 1.
 *
 * @param launcher "none", "haft-run", "torchrun", "openmpi", "pmix", "slurm" or "kubernetes"
 * @param rank of this process
 * @param worldSize how many processes the job has
 * @param localRank among the processes of this machine
 * @param localWorldSize how many of them there are
 * @param nodeRank of this machine
 * @param restartCount how often all processes were started again
 * @param masterHost where rank 0 is; empty: nobody said it
 * @param masterPort its port
 * @param runId differs between jobs; empty: nobody said it
 */
public record LaunchEnvironment(String launcher, int rank, int worldSize, int localRank, int localWorldSize, int nodeRank, int restartCount,
    String masterHost, int masterPort, String runId) {
  /**
   * Reads the launcher's variables.
   *
   * @return what they say
   */
  public static LaunchEnvironment get() {
    long[] n = Haft.launchNumbers();
    String[] t = Haft.launchTexts().split("\n", -1);
    return new LaunchEnvironment(t[0], (int) n[LaunchPlaces.rank], (int) n[LaunchPlaces.worldSize], (int) n[LaunchPlaces.localRank],
        (int) n[LaunchPlaces.localWorldSize], (int) n[LaunchPlaces.nodeRank], (int) n[LaunchPlaces.restartCount], t[1],
        (int) n[LaunchPlaces.masterPort], t[2]);
  }
}
