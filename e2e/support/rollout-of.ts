import { randomUUID } from 'node:crypto'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'

const moment = '2026-03-01T09:30:00.000000Z'

export const thresholds = { success: 90, errorShare: 10, errorMinimum: 1, mostErrors: null }

/** A rollout of a running script, with these changes. */
export const rolloutOf = (changes: Partial<Rollout> = {}): Rollout => ({
  id: randomUUID(),
  name: 'Spring',
  program: { kind: 'script', id: randomUUID(), name: 'Read', version: '1', input: {} },
  rollsBack: null,
  retries: null,
  targets: {},
  plan: {
    canaries: [],
    groups: [{ by: 'rest', amount: 0, ...thresholds, pausesAfter: false }],
    perMinute: null,
    atOnce: 1,
    window: null,
    runMinutes: 1,
    startHours: 1,
    startsAt: null,
  },
  state: 'running',
  pauseReason: null,
  isPrepared: true,
  groups: [],
  approvalId: null,
  serviceId: null,
  createdBy: null,
  startedAt: moment,
  endedAt: null,
  rights: {
    change: null,
    start: null,
    pause: null,
    resume: null,
    next: null,
    stop: null,
    rollBack: null,
    retry: null,
    delete: null,
  },
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
  ...changes,
})
