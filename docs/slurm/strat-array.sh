#!/bin/bash
# A sweep as a Slurm job array: each task does one shard, into OUT-shards/I-of-N.
#
#   sbatch --array=1-20 strat-array.sh OUT train sudoku --model both
#   sbatch --dependency=afterok:JOB --wrap 'strat merge OUT-shards/*-of-20 --out OUT'
#
# The array must count from 1. Change the lines below as your cluster asks for.

#SBATCH --job-name=strat
#SBATCH --cpus-per-task=4
#SBATCH --time=12:00:00
#SBATCH --requeue               # a task that is preempted or loses its node starts again, and goes on
#SBATCH --signal=TERM@120       # two minutes before its time is up it is told to save
#SBATCH --open-mode=append      # and goes on in the same file of output
#SBATCH --output=%x-%A-%a.out

out=$1
shift
shard=$SLURM_ARRAY_TASK_ID of=$SLURM_ARRAY_TASK_COUNT

srun strat "$@" --threads "$SLURM_CPUS_PER_TASK" --shard "$shard/$of" --out "$out-shards/$shard-of-$of"
status=$?

# 130: told to stop, and all is saved. The same command goes on, so the task is put in the queue again.
if [ $status -eq 130 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard"
fi
exit $status
