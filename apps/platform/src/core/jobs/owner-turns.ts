import { maxOfOwnerOf, type JobDefinition } from './define-jobs.ts'
import type { OwnerTurn } from './job.queries.ts'

interface Run {
  job: { name: string; owner: string }
  definition: JobDefinition<unknown, unknown>
}

/** Per job. A forgotten owner counts as one who never had a turn. */
const maxRemembered = 1000

/** How many jobs each owner runs in this process, and who had the last turns. */
export function ownerTurns() {
  // By job name: owners in the order of their last turns.
  const served = new Map<string, Map<string, number>>()
  let count = 0
  return {
    serve({ name, owner }: { name: string; owner: string }): void {
      const owners = served.get(name) ?? new Map<string, number>()
      served.set(name, owners)
      owners.delete(owner)
      owners.set(owner, ++count)
      const [oldest] = owners.keys()
      if (owners.size > maxRemembered && oldest !== undefined) owners.delete(oldest)
    },
    read(runs: readonly Run[]): OwnerTurn[] {
      const turns = new Map<string, OwnerTurn>()
      const turnOf = (name: string, owner: string) => {
        const key = `${name} ${owner}`
        const turn = turns.get(key) ?? { name, owner, running: 0, isFull: false, servedAt: 0 }
        turns.set(key, turn)
        return turn
      }
      for (const [name, owners] of served)
        for (const [owner, servedAt] of owners) turnOf(name, owner).servedAt = servedAt
      for (const { job, definition } of runs) {
        const turn = turnOf(job.name, job.owner)
        turn.running++
        turn.isFull = turn.running >= maxOfOwnerOf(definition)
      }
      return [...turns.values()]
    },
  }
}
