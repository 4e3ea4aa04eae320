import { randomUUID } from 'node:crypto'
import type { RolloutExecution } from '@grove/contract/maple/rollout/rollout'
import { expect, people, testAs } from '../support/page-test.ts'
import { rolloutOf, thresholds } from '../support/rollout-of.ts'

const moment = '2026-03-01T09:30:00.000000Z'
const id = randomUUID()
/** One group with one device. */
const endingRollout = (isOver: boolean) =>
  rolloutOf({
    id,
    state: isOver ? 'finished' : 'running',
    endedAt: isOver ? moment : null,
    groups: [
      {
        number: 1,
        isCanary: false,
        state: isOver ? 'finished' : 'running',
        ...thresholds,
        pausesAfter: false,
        isTolerant: false,
        total: 1,
        queued: 0,
        running: isOver ? 0 : 1,
        succeeded: isOver ? 1 : 0,
        failed: 0,
        timedOut: 0,
        cancelled: 0,
        skipped: 0,
        startedAt: moment,
        endedAt: isOver ? moment : null,
      },
    ],
  })

const execution = (isOver: boolean): RolloutExecution => ({
  deviceId: 'pump-1',
  deviceName: 'Pump 1',
  group: 1,
  state: isOver ? 'succeeded' : 'running',
  cause: null,
  sessionId: null,
  attempts: 1,
  startedAt: moment,
  endedAt: isOver ? moment : null,
})

// Its devices are as they were before its end, until the page knows that it ended.
const admin = testAs(people.admin, () => {
  let asked = 0
  let isTold = false
  return {
    'GET /api/maple/rollouts/{id}': () => {
      isTold = asked > 1
      return endingRollout(isTold)
    },
    'GET /api/maple/rollouts/{id}/execution': () => {
      asked += 1
      return { items: [execution(isTold)], next: null, previous: null }
    },
    'GET /api/maple/rollouts': { items: [], next: null, previous: null },
  }
})

admin('devices of a finished rollout are shown in their final state', async ({ page }) => {
  await page.goto(`/dashboard/maple/rollouts/${id}`)
  const devices = page.getByRole('region', { name: 'Devices' })
  await expect(devices.getByRole('listitem')).toContainText('Running')
  await expect(page.getByText('Finished').first()).toBeVisible()
  await expect(devices.getByRole('listitem')).toContainText('Succeeded')
})
