import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type {
  HandlerRun,
  OpenCloudHandler,
  OpenHandlerRun,
} from '@grove/contract/maple/program/cloud-handler'
import { createAppletClient } from '../../card/applet/testing/applet-client.ts'
import { createRolloutClient, groupOf, planWith } from '../../rollout/testing/rollout-client.ts'
import {
  startSessionServer,
  type SessionServer,
} from '../../card/session/testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it says what is asked for
async function ask<Body>(method: 'GET' | 'POST', path: string, payload?: object): Promise<Body> {
  const answer = await server.app.inject({
    method,
    url: `/api/maple/cloud_handlers${path}`,
    headers: server.admin,
    ...(payload && { payload }),
  })
  expect([answer.statusCode < 300, answer.body]).toEqual([true, answer.body])
  return answer.json<Body>()
}

async function handlerOn(events: string[], match: object[] = []) {
  const { id } = await ask<OpenCloudHandler>('POST', '', {
    name: `Handler ${randomUUID()}`,
    trigger: { type: 'event', events, kinds: [], match },
    code: '[event.type, event.subject, event.after.state, event.after.pauseReason ?? null]',
  })
  await ask('POST', `/${id}/deploy`, {})
  return id
}

/** The results of a handler's runs, oldest first, once there are this many. */
const resultsOf = (id: string, count: number) =>
  vi.waitFor(
    async () => {
      const { items } = await ask<{ items: HandlerRun[] }>('GET', `/${id}/run`)
      expect(items.map(({ state }) => state)).toEqual(Array(count).fill('succeeded'))
      const runs = items
        .toReversed()
        .map((run) => ask<OpenHandlerRun>('GET', `/${id}/run/${run.id}`))
      return (await Promise.all(runs)).map(({ result }) => result as unknown[])
    },
    { timeout: 20_000, interval: 50 },
  )

test('handlers run when a rollout starts, pauses itself, is resumed, finishes and is stopped', async () => {
  const applets = createAppletClient(server, server.admin)
  const rollouts = createRolloutClient(server, server.admin)
  const all = await handlerOn([
    'rollout.start',
    'rollout.pause',
    'rollout.resume',
    'rollout.finish',
    'rollout.stop',
  ])
  const pauses = await handlerOn(
    ['rollout.pause', 'rollout.finish'],
    [{ path: 'after.state', value: 'paused' }],
  )
  const applet = await applets.uploaded()
  for (const _ of [1, 2]) await server.card()
  const rollout = (plan: Parameters<typeof planWith>[0]) => ({
    name: `Rollout ${randomUUID()}`,
    program: { kind: 'applet' as const, id: applet.id, input: { action: 'install' } },
    targets: { filter: { type: 'virtual' } },
    plan: planWith(plan),
  })
  const groups = [groupOf({ by: 'count', amount: 1, pausesAfter: true }), groupOf()]
  const { id: finished } = await rollouts.started(rollout({ groups }))
  await rollouts.until(finished, 'paused')
  await rollouts.control(finished, 'resume', {})
  await rollouts.until(finished, 'finished')
  expect((await resultsOf(all, 4)).map(([type, subject]) => [type, subject])).toEqual([
    ['rollout.start', finished],
    ['rollout.pause', finished],
    ['rollout.resume', finished],
    ['rollout.finish', finished],
  ])
  // The filter checks the event's fields.
  expect(await resultsOf(pauses, 1)).toEqual([['rollout.pause', finished, 'paused', 'next_group']])

  const later = rollout({ startsAt: '2099-01-01T00:00:00.000Z' })
  const { id: stopped } = await rollouts.started(later)
  await rollouts.control(stopped, 'stop')
  expect((await resultsOf(all, 6)).slice(4).map(([type, subject]) => [type, subject])).toEqual([
    ['rollout.start', stopped],
    ['rollout.stop', stopped],
  ])
})
