import { randomUUID } from 'node:crypto'
import type { Notification } from '@grove/contract/cedar/notification'
import { audienceKinds, devicePlatforms } from '@grove/contract/cedar/notification.rules'
import type { Job } from '@grove/contract/core/job'
import { locales } from '@grove/contract/locale.rules'
import type { Answers } from './answers.ts'

const moment = '2026-03-01T09:30:00.000000Z'

/** A recurring job that has run. */
export const jobOf = (more: Partial<Job> = {}): Job => ({
  id: randomUUID(),
  name: 'mail.send',
  state: 'completed',
  attempts: 1,
  maxAttempts: 5,
  dueAt: moment,
  progress: null,
  isCancelling: false,
  isRecurring: true,
  failure: null,
  createdBy: null,
  createdAt: moment,
  startedAt: moment,
  finishedAt: moment,
  rights: { retry: 'job_not_finished', cancel: 'job_finished' },
  ...more,
})

export const jobAnswers = (...items: Job[]): Answers => ({
  'GET /api/auth/job': { items, next: null, previous: null, names: ['mail.send'] },
})

/** A notification that is being sent. */
export const notificationOf = (): Notification => ({
  id: randomUUID(),
  productId: randomUUID(),
  providerId: randomUUID(),
  productTranslations: [{ localeCode: 'en-US', title: 'Tides' }],
  productIconUrl: null,
  state: 'sending',
  reason: null,
  translations: [{ localeCode: 'en-US', title: 'New', body: 'Two clocks more' }],
  audience: {},
  link: null,
  at: moment,
  isScheduled: false,
  expiresAt: null,
  devices: 2,
  sent: 1,
  delivered: 0,
  opened: 0,
  failed: 0,
  failures: {},
  transport: null,
  createdBy: null,
  createdAt: moment,
  startedAt: moment,
  finishedAt: null,
  rights: { cancel: 'notification_sent' },
})

export const notificationAnswers = (...items: Notification[]): Answers => ({
  'GET /api/notification': { items, total: items.length, from: 0, length: 50 },
  'GET /api/notification/statistics': { days: [] },
  'GET /api/notification/systemdata': {
    locales: [...locales],
    audiences: [...audienceKinds],
    platforms: [...devicePlatforms],
    limits: {
      title: 100,
      body: 500,
      link: 500,
      payloadBytes: 4000,
      testDevices: 10,
      scheduleDays: 30,
      expiryDays: 30,
    },
    quota: [],
    transports: [],
  },
})
