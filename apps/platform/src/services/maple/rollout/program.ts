import type { ProgramKind } from '@grove/contract/maple/rollout.rules'
import type { Actor } from '../../../core/actor.ts'
import type { MapleServiceContext } from '../context.ts'

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
  /** Aborts when the device has taken too long, or the process stops. */
  signal: AbortSignal
  /** Called as soon as there is a session: what came of a run that was cut off is judged by it. */
  onSession?: (sessionId: string) => Promise<unknown>
}

export interface ProgramResult {
  state: 'succeeded' | 'failed' | 'skipped' | 'timed_out'
  /** A code with its values, or words: failures of a fleet are grouped by it. */
  cause?: string
  sessionId?: string
  /** Nothing was done, because the target cannot be reached now: it can be tried again later. */
  isTransient?: boolean
}

/** What runs on one target: an applet, a template, a script or an image. */
export interface Program<Version> {
  kind: ProgramKind
  run: (context: MapleServiceContext, run: ProgramRun<Version>) => Promise<ProgramResult>
}
