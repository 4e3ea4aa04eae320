import type { CallContext } from './base/context.ts'
import type { ElementRelay } from './card/relay/element-relay.ts'
import type { HandlerContext } from './program/context.ts'
import type { RolloutServiceContext } from './rollout/context.ts'

/** The dependencies of the calls and jobs of all areas. */
export interface MapleCallContext extends RolloutServiceContext, HandlerContext, CallContext {
  /** Carries exchanges between the processes that run sessions and those with the connections. */
  relay: ElementRelay
  jobs: RolloutServiceContext['jobs']
}

/** spec §9 "Api versions". */
export const apiVersion = '3'
