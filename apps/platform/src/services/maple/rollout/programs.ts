import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import { mapleRights } from '@grove/contract/maple/access/right.rules'
import type { Actor } from '../../../core/actor.ts'
import { scopeOfService, type Scope } from '../../../core/scope.ts'
import type { RolloutServiceContext } from './context.ts'
import type { MapleContext } from '../base/context.ts'
import { imageProgram } from '../connect/binary-image/image-program.ts'
import { scriptProgram } from '../program/script/script-program.ts'
import { templateProgram } from '../program/template/template-program.ts'
import { appletProgram } from './applet-program.ts'
import type { EndedDevice, Program, StartedDevice } from './program.ts'

type Input = Readonly<Record<string, unknown>>

/** The id of what runs, and the service provider that must have it. */
export interface VersionAt {
  id: string
  scope: Scope
}

/** A program as rollouts use it. */
export interface MountedProgram<Version> extends Program<Version> {
  /** Runs on each element of a device; otherwise once on the device itself. */
  needsElement: boolean
  /** What people call it; undefined for one that the scope does not have. */
  describe: (
    context: Pick<MapleContext, 'db'>,
    at: VersionAt,
  ) => Promise<{ name: string; version: string } | undefined>
  /** The input of `run`, of the described version; undefined if it is deleted. */
  load: (
    context: RolloutServiceContext,
    at: VersionAt & { version: string },
  ) => Promise<Version | undefined>
  /** @throws ProblemError `invalid_request` for an input that the program does not accept. */
  readInput: (input: Input) => Record<string, unknown>
  /** Refuses what its version cannot do. @throws ProblemError */
  check?: (
    context: Pick<MapleContext, 'db'>,
    given: VersionAt & { actor: Actor; version: string; input: Input },
  ) => Promise<void>
  /** The domains of cards in whose name it acts, and a hash of everything it does; for tokens. */
  tokenPlan?: (
    context: Pick<MapleContext, 'db'>,
    given: VersionAt & { version: string; input: Input },
  ) => Promise<{ domains: readonly string[]; hash: string } | undefined>
  /** Whether a run with this input can be rolled back. */
  hasWayBack: (input: Input) => boolean
  /** The differences of the program that rolls it back; null if there is none. */
  wayBack?: (
    context: Pick<MapleContext, 'db'>,
    at: VersionAt & { input: Input },
  ) => Promise<Partial<Rollout['program']> | null>
  /** The outcomes of devices that are `under_way`; without those still unknown. */
  look?: (
    context: Pick<MapleContext, 'db'>,
    given: {
      scope: Scope
      version: Version
      minutes: number
      started: readonly StartedDevice[]
    },
  ) => Promise<EndedDevice[]>
}

/** `run` gets what `load` returns, so its type stays private. */
const mounted = <Version>(program: MountedProgram<Version>) =>
  program as unknown as MountedProgram<unknown>

const programs: Record<ProgramKind, MountedProgram<unknown>> = {
  applet: mounted(appletProgram),
  template: mounted(templateProgram),
  script: mounted(scriptProgram),
  image: mounted(imageProgram),
}

export const programOf = (kind: ProgramKind): MountedProgram<unknown> => programs[kind]

/** The person who started a rollout; its id is the origin of a program's changes. */
export const rolloutActor = ({ id, createdBy, serviceId, maySendRaw }: Starter): Actor => ({
  id: createdBy ?? '',
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'rollout' },
  mandate: {
    rights: maySendRaw ? mapleRights : mapleRights.filter((right) => right !== 'session.raw'),
    scope: scopeOfService(serviceId),
  },
})

interface Starter {
  id: string
  createdBy: string | null
  serviceId: string | null
  maySendRaw: boolean
}
