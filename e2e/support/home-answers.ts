import type { MapleAbout } from '@grove/contract/maple/about'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { deviceSeen, deviceStates, deviceTypes } from '@grove/contract/maple/fleet/device.rules'
import { failureKinds } from '@grove/contract/cedar/failure.rules'
import { randomUUID } from 'node:crypto'
import type { Answers } from './answers.ts'

const emptyPage = { items: [], next: null, previous: null }
const moment = '2026-03-01T09:30:00.000000Z'

/** The counts of a service with this many quarantined devices and failed jobs. */
const aboutOf = (quarantined: number, failed: number): MapleAbout => ({
  name: 'maple',
  apiVersion: '3',
  countedAt: moment,
  devices: {
    count: quarantined,
    groups: deviceTypes.flatMap((type) =>
      deviceStates.map((state) => ({
        type,
        state,
        count: type === 'iot' && state === 'quarantined' ? quarantined : 0,
      })),
    ),
    seen: deviceSeen.map((seen) => ({ seen, count: 0 })),
    registered: [],
  },
  elements: { count: 0, attached: 0 },
  services: { count: 0, suspended: 0 },
  accounts: { count: 0, expiringSoon: 0, expired: 0 },
  jobs: { failed },
  hsm: null,
  broker: null,
})

/** An element whose keys did not match. */
const blockedOf = (cplc: string): SecureElement => ({
  cplc,
  id: cplc,
  chipId: cplc.slice(8, 20),
  state: 'blocked',
  profile: null,
  device: null,
  hsm: false,
  approvals: [],
  conflicts: [],
  difference: null,
  history: [],
  rights: { delete: null, hsm: null, terminate: null },
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
})

interface Needs {
  /** The CPLC of a blocked element. */
  blocked?: string
  quarantined?: number
  failedJobs?: number
  /** The app whose package was refused. */
  refused?: string
}

/** The answers to the calls of the dashboard's first page. */
export const homeAnswers = ({
  quarantined = 0,
  failedJobs = 0,
  refused,
  blocked,
}: Needs = {}): Answers => ({
  'GET /api/developer/failure': {
    items: refused
      ? [
          {
            kind: failureKinds[1],
            id: randomUUID(),
            at: moment,
            productId: randomUUID(),
            productTitles: [{ localeCode: 'en-US', title: refused }],
            version: '1.2.0',
            isByKey: false,
          },
        ]
      : [],
  },
  'GET /api/developer/activity': { ...emptyPage, actions: [] },
  'GET /api/maple/about': aboutOf(quarantined, failedJobs),
  'GET /api/maple/se/element': {
    ...emptyPage,
    items: blocked ? [blockedOf(blocked)] : [],
    isTruncated: false,
  },
  'GET /api/maple/rollouts': emptyPage,
  'GET /api/maple/cloud_handlers': emptyPage,
})
