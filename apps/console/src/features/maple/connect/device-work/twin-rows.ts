import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { isSame, isState } from '@grove/contract/maple/base/json-state.rules'

/**
 * `same`: desired and reported. `waiting`: the device has not answered the newest version. `unsent`:
 * nor will it, until the desired state is shorter. `refused`: it gave a reason. `different`: it
 * answered, but reports something else. `reported`: not desired.
 */
export type TwinRowState = 'same' | 'waiting' | 'unsent' | 'refused' | 'different' | 'reported'

export interface TwinRow {
  path: string[]
  desired: unknown
  reported: unknown
  state: TwinRowState
  /** Why the device refused the key. */
  reason: string | undefined
}

type State = Readonly<Record<string, unknown>>
const valueOf = (state: unknown, key: string) =>
  isState(state) && Object.hasOwn(state, key) ? state[key] : undefined
const hasKeys = (value: unknown): value is State => isState(value) && Object.keys(value).length > 0

/** Each value of a device beside its desired value, differences first. */
export function twinRows(twin: DeviceTwin): TwinRow[] {
  const rows = rowsBelow(twin, twin.desired, twin.reported, [])
  return [
    ...rows.filter(({ state }) => state !== 'same' && state !== 'reported'),
    ...rows.filter(({ state }) => state === 'same'),
    ...rows.filter(({ state }) => state === 'reported'),
  ]
}

function rowsBelow(
  twin: DeviceTwin,
  desired: unknown,
  reported: unknown,
  path: string[],
): TwinRow[] {
  const keys = [desired, reported].flatMap((each) => (isState(each) ? Object.keys(each) : []))
  return [...new Set(keys)].toSorted().flatMap((key) => {
    const [wanted, found] = [valueOf(desired, key), valueOf(reported, key)]
    const below = [...path, key]
    if (hasKeys(wanted) || (wanted === undefined && hasKeys(found)))
      return rowsBelow(twin, wanted, found, below)
    const reason = valueOf(twin.refused, below[0] ?? '')
    const state = stateOf(twin, wanted, found, reason !== undefined)
    return [
      {
        path: below,
        desired: wanted,
        reported: found,
        state,
        reason: state === 'refused' ? String(reason) : undefined,
      },
    ]
  })
}

function stateOf(
  { answeredVersion, desiredVersion, desiredProblem }: DeviceTwin,
  desired: unknown,
  reported: unknown,
  isRefused: boolean,
): TwinRowState {
  if (desired === undefined) return 'reported'
  if (isSame(desired, reported)) return 'same'
  if (answeredVersion < desiredVersion) return desiredProblem === null ? 'waiting' : 'unsent'
  return isRefused ? 'refused' : 'different'
}

/** The merge patch (RFC 7396) that turns one state into the other. */
export function patchBetween(from: State, to: State): Record<string, unknown> {
  const entries: [string, unknown][] = []
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [valueOf(from, key), valueOf(to, key)]
    if (after === undefined) entries.push([key, null])
    else if (isSame(before, after)) continue
    else if (isState(before) && isState(after)) entries.push([key, patchBetween(before, after)])
    else entries.push([key, after])
  }
  return Object.fromEntries(entries)
}
