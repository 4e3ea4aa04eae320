import type { CallContext } from './base/context.ts'
import type { HandlerContext } from './program/context.ts'
import type { RolloutServiceContext } from './rollout/context.ts'

/** The dependencies of the calls and jobs of all areas. */
export interface MapleCallContext extends RolloutServiceContext, HandlerContext, CallContext {
  jobs: RolloutServiceContext['jobs']
}

/** spec §9 "Api versions". */
export const apiVersion = '3'
