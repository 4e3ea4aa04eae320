import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import type { Actor } from '../../../core/actor.ts'
import type { RolloutServiceContext } from './context.ts'

export interface ProgramTarget {
  /** The element to work with, for a program that needs one. */
  cplc?: string
  deviceId: string
}

export interface ProgramRun<Version> {
  /** The person who started it, limited to their service provider. */
  actor: Actor
  /** What runs, as it was published: it does not change while it runs. */
  version: Version
  input: Readonly<Record<string, unknown>>
  target: ProgramTarget
  /** Whether someone approved that Grove signs tokens for it. */
  isApproved: boolean
  /** The device's time limit. */
  minutes: number
  /**
   * An idempotency key that survives a crash, until somebody retries the device: work under it is
   * given to the device once. Rejects if another process has the device.
   */
  startId: () => Promise<string>
  /** Aborts when the device exceeds its time limit, or the process stops. */
  signal: AbortSignal
  /** Called as soon as there is a session: the outcome of an interrupted run is judged by it. */
  onSession?: (sessionId: string) => Promise<unknown>
}

export interface ProgramResult {
  /** `under_way`: the device does it on its own, and `look` finds out the outcome. */
  state: 'succeeded' | 'failed' | 'skipped' | 'timed_out' | 'under_way'
  /**
   * A code with its values, or a message, by which a fleet's failures are grouped. For a success,
   * what the card's receipts prove.
   */
  cause?: string
  sessionId?: string
  /** Nothing was done, because the target cannot be reached now: it can be tried again later. */
  isTransient?: boolean
}

/** A device that works on its own. */
export interface StartedDevice {
  deviceId: string
  /** The id of its work. */
  startId: string
  /** How long ago. */
  startedMs: number
}

export type EndedDevice = ProgramResult & {
  deviceId: string
  state: 'succeeded' | 'failed' | 'timed_out'
}

/** What runs on one target: an applet, a template, a script or an image. */
export interface Program<Version> {
  kind: ProgramKind
  run: (context: RolloutServiceContext, run: ProgramRun<Version>) => Promise<ProgramResult>
}
