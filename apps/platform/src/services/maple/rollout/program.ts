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
  /** How long the device may take. */
  minutes: number
  /**
   * An id that is the same after a crash, until somebody has the device tried again: what is given
   * to a device under it is given once. Rejects when another process has the device.
   */
  startId: () => Promise<string>
  /** Aborts when the device has taken too long, or the process stops. */
  signal: AbortSignal
  /** Called as soon as there is a session: what came of a run that was cut off is judged by it. */
  onSession?: (sessionId: string) => Promise<unknown>
}

export interface ProgramResult {
  /** `under_way`: the device does it by itself, and `look` finds out what came of it. */
  state: 'succeeded' | 'failed' | 'skipped' | 'timed_out' | 'under_way'
  /** A code with its values, or words: failures of a fleet are grouped by it. */
  cause?: string
  sessionId?: string
  /** Nothing was done, because the target cannot be reached now: it can be tried again later. */
  isTransient?: boolean
}

/** A device that does the work by itself. */
export interface StartedDevice {
  deviceId: string
  /** What it was given has this id. */
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
