import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { appAnswers, appOf, versionOf } from '../support/app-answers.ts'
import { drop, type Answers } from '../support/answers.ts'
import { deviceOf, fleetAnswers } from '../support/fleet-answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs, type Calls } from '../support/page-test.ts'
import { rolloutOf } from '../support/rollout-of.ts'
import {
  jobAnswers,
  jobOf,
  notificationAnswers,
  notificationOf,
} from '../support/system-answers.ts'

const admin = testAs(people.admin)
const developer = testAs(people.developer)

const english = 'Connection lost, retrying.'
const russian = 'Связь потеряна, пробуем снова.'
const moment = '2026-03-01T09:30:00.000000Z'
const emptyPage = { items: [], next: null, previous: null }

/** A page whose view is polled, its answers, and the call that reads the view. */
interface View {
  address: string
  answers: Answers
  call: keyof Answers
}

/** Advances the page's clock until a check passes. */
const soon = (page: Page, check: () => void | Promise<void>) =>
  expect(async () => {
    await page.clock.runFor(1000)
    await check()
  }).toPass()

/** Opens the page, and waits until its view has been read and is read again. */
async function follow(page: Page, calls: Calls, { address, answers, call }: View) {
  calls.answer(answers)
  await page.clock.install()
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await soon(page, () => expect(calls.asked(call).length).toBeGreaterThan(1))
}

const deviceImport: DeviceImport = {
  id: randomUUID(),
  state: 'running',
  fileName: 'devices.csv',
  bytes: 8,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ';',
  columns: [],
  mapping: [],
  existing: 'keep',
  done: 4,
  checked: null,
  counts: { created: 0, changed: 0, unchanged: 0, wrong: 0 },
  hasFile: true,
  failure: null,
  revertedBy: null,
  rights: { revert: 'bulk_running' },
  createdBy: null,
  createdAt: moment,
  startedAt: moment,
  finishedAt: null,
}

const device = deviceOf('Lost', { state: 'accepted' })
/** The device was never connected: the desired state waits for it. */
const twin: DeviceTwin = {
  deviceId: device.id,
  desired: { led: true },
  desiredVersion: 1,
  desiredAt: moment,
  desiredBy: null,
  desiredProblem: null,
  reported: {},
  reportedVersion: 0,
  reportedAt: null,
  reportedProblem: null,
  answeredVersion: 0,
  answeredAt: null,
  refused: {},
  difference: [{ path: ['led'], desired: true }],
  rights: { change: null },
}
/** The page of a customer's device, which has both its telemetry and its state. */
const ofDevice = (call: keyof Answers): View => ({
  address: `/dashboard/maple/devices/${device.id}`,
  call,
  answers: {
    ...fleetAnswers([device]),
    'GET /api/maple/device/twin': twin,
    'GET /api/maple/device/telemetry/key': { items: [] },
    'GET /api/maple/device/command': emptyPage,
    'GET /api/maple/device/connection': {
      state: 'never',
      connectedAt: null,
      seenAt: null,
      agent: null,
      firmware: null,
      protocol: null,
      ip: null,
      lost: 0,
      refused: null,
      offered: null,
      rivals: null,
      messages: [],
    },
  },
})

const jobs: View = {
  address: '/dashboard/system/jobs?kind=recurring',
  call: 'GET /api/auth/job',
  answers: jobAnswers(jobOf({ state: 'running' })),
}

const app = appOf({ 'en-US': 'Tides' })
const checked = { ...versionOf(app, '1.0.0'), state: 'checking' as const }

/** The views that are polled. */
const views: [string, typeof admin, View][] = [
  ['the jobs', admin, jobs],
  [
    'the imports',
    admin,
    {
      address: '/dashboard/maple/imports',
      call: 'GET /api/maple/device/import',
      answers: { 'GET /api/maple/device/import': { ...emptyPage, items: [deviceImport] } },
    },
  ],
  [
    'the rollouts',
    admin,
    {
      address: '/dashboard/maple/rollouts',
      call: 'GET /api/maple/rollouts',
      answers: { 'GET /api/maple/rollouts': { ...emptyPage, items: [rolloutOf()] } },
    },
  ],
  ['what a device measures', admin, ofDevice('GET /api/maple/device/telemetry/key')],
  ['the state of a device', admin, ofDevice('GET /api/maple/device/twin')],
  [
    'a package that is checked',
    developer,
    {
      address: `/dashboard/cedar/mobile/${app.productId}/${checked.productVersionId}`,
      call: 'GET /api/developer/productVersion/{id}',
      answers: appAnswers([app], [checked]),
    },
  ],
  [
    'the notifications',
    developer,
    {
      address: '/dashboard/cedar/notifications',
      call: 'GET /api/notification',
      answers: { ...appAnswers([app]), ...notificationAnswers(notificationOf()) },
    },
  ],
]

for (const [name, test, view] of views)
  test(`the page of ${name} says that the connection is lost, until the server answers`, async ({
    page,
    calls,
  }) => {
    await follow(page, calls, view)
    const notice = page.getByText(english)
    await expect(notice).toHaveCount(0)
    calls.answer({ [view.call]: drop })
    await soon(page, () => expect(notice).toHaveCount(1, { timeout: 100 }))
    await expect(notice).toBeVisible()
    calls.answer(view.answers)
    await soon(page, () => expect(notice).toHaveCount(0, { timeout: 100 }))
  })

admin(
  'the notice is in Russian, on a phone, and on top of an open dialog',
  async ({ page, calls }) => {
    await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
    await page.setViewportSize(phone)
    await follow(page, calls, jobs)
    const notice = page.getByText(russian)
    calls.answer({ [jobs.call]: drop })
    await soon(page, () => expect(notice).toBeVisible({ timeout: 100 }))
    await expectNoOverflow(page)
    await expectAccessible(page)
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog')
    await soon(page, () => expect(dialog.getByText(russian)).toBeVisible({ timeout: 100 }))
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    calls.answer(jobs.answers)
    await soon(page, () => expect(notice).toHaveCount(0, { timeout: 100 }))
  },
)
