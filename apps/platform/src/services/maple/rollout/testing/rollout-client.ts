import { expect, vi } from 'vitest'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
  Rollout,
  RolloutCause,
  RolloutExecution,
  RolloutPlan,
} from '@grove/contract/maple/rollout/rollout'
import { usualThresholds } from '@grove/contract/maple/rollout/rollout.rules'
import type { TestServer } from '../../../../core/testing/test-platform.ts'

type NewRollout = BodyOf<Calls['POST /api/maple/rollouts']>

export const groupOf = (more: Partial<RolloutPlan['groups'][number]> = {}) => ({
  by: 'rest' as const,
  amount: 0,
  ...usualThresholds,
  pausesAfter: false,
  ...more,
})

export const planWith = (more: Partial<RolloutPlan> = {}): RolloutPlan => ({
  canaries: [],
  groups: [groupOf()],
  perMinute: null,
  atOnce: 8,
  window: null,
  runMinutes: 10,
  startHours: 1,
  startsAt: null,
  ...more,
})

export type RolloutClient = ReturnType<typeof createRolloutClient>

/** Makes the calls of rollouts as one user. */
export function createRolloutClient(
  { app }: Pick<TestServer, 'app'>,
  headers: Record<string, string>,
) {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what the call answers
  const send = async <Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<{ status: number; body: Body & { code: string; errors?: { path: string }[] } }> => {
    const response = await app.inject({
      method,
      url: `/api/maple/rollouts${path}`,
      headers,
      ...(payload && { payload }),
    })
    return {
      status: response.statusCode,
      body: response.body === '' ? (null as never) : response.json(),
    }
  }
  const done = async <Body>(...asked: Parameters<typeof send>): Promise<Body> => {
    const { status, body } = await send<Body>(...asked)
    expect([status < 300, body]).toEqual([true, body])
    return body
  }
  const read = (id: string) => done<Rollout>('GET', `/${id}`)
  const control = (id: string, action: string, body?: object) =>
    done<Rollout>('POST', `/${id}/${action}`, body)
  return {
    send,
    read,
    control,
    create: (given: NewRollout) => done<Rollout>('POST', '', given),
    async started(given: NewRollout): Promise<Rollout> {
      const { id } = await done<Rollout>('POST', '', given)
      return control(id, 'start')
    },
    async until(id: string, state: Rollout['state']): Promise<Rollout> {
      await vi.waitFor(async () => expect((await read(id)).state).toBe(state), {
        timeout: 60_000,
        interval: 50,
      })
      return read(id)
    },
    causes: async (id: string) =>
      (await done<{ items: RolloutCause[] }>('GET', `/${id}/cause`)).items,
    executions: async (id: string, query = '') =>
      (await done<{ items: RolloutExecution[] }>('GET', `/${id}/execution?limit=200${query}`))
        .items,
  }
}
