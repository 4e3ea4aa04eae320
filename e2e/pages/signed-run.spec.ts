import type { Approval } from '@grove/contract/maple/access/approval'
import type { Template, TemplateRun, TemplateTarget } from '@grove/contract/maple/program/template'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const test = testAs(people.admin)

const id = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
const approval = id.replace('55', '57')
const moment = '2026-03-01T09:30:00.000000Z'
const cplc = '4790D32147000000000041303EB6B0AB7033'.padEnd(84, '0')
const template: Template = {
  id,
  serviceId: null,
  name: 'Wallet',
  about: '',
  state: 'published',
  stepCount: 0,
  version: 3,
  isChanged: false,
  createdBy: null,
  parameters: [],
  steps: [],
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
  rights: { deprecate: null, restore: null, run: null },
}
const run: TemplateRun = {
  id: id.replace('55', '56'),
  template: { id, name: 'Wallet' },
  version: 3,
  input: {},
  state: 'queued',
  total: 1,
  succeeded: 0,
  failed: 0,
  approval: { id: approval, state: 'pending' },
  createdBy: null,
  createdAt: moment,
  rights: { cancel: null },
}
const target: TemplateTarget = {
  cplc,
  state: 'waiting',
  step: null,
  cause: null,
  rollback: null,
  receipts: [],
  sessionId: null,
  startedAt: null,
  finishedAt: null,
}

const finishedRun: TemplateRun = {
  ...run,
  state: 'completed',
  succeeded: 1,
  approval: { id: approval, state: 'approved' },
  rights: { cancel: 'job_finished' },
}
const finishedTarget: TemplateTarget = {
  ...target,
  state: 'succeeded',
  receipts: [
    {
      step: 1,
      code: 'receipt_valid',
      message: 'The card’s receipt 7 for D2760000850101 is valid.',
      params: { counter: '7', aid: 'D2760000850101' },
    },
  ],
}
const list = <T>(items: T[]) => ({ items, next: null, previous: null })

test('a run that needs tokens waits for its approval, and shows what receipts prove', async ({
  page,
  calls,
}) => {
  let isApproved = false
  calls.answer({
    'GET /api/maple/templates/{id}': template,
    'GET /api/maple/templates/{id}/version': list([]),
    'GET /api/maple/templates/run': () => list([isApproved ? finishedRun : run]),
    'GET /api/maple/templates/run/{id}/target': () => list([isApproved ? finishedTarget : target]),
  })
  await page.goto(`/dashboard/maple/templates/${id}`)
  const runs = page.getByRole('region', { name: 'Runs' })
  await expect(runs).toContainText('Waiting for approval')
  await expect(runs.getByRole('link', { name: 'See the request' })).toHaveAttribute(
    'href',
    /approvals\?request=/,
  )
  isApproved = true
  // A waiting run is polled every five seconds.
  await expect(runs).toContainText('Step 2: The card’s receipt 7 for D2760000850101 is valid.', {
    timeout: 15_000,
  })
  await expect(runs).not.toContainText('Waiting for approval')
  await expectAccessible(page)

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('the approver of a run sees its steps and values', async ({ page, calls }) => {
  const request: Approval = {
    id: approval,
    action: 'card.sign',
    subject: run.id,
    input: {
      name: 'Wallet 3',
      template: id,
      version: 3,
      domain: 'A0000000990101',
      elements: 1,
      cplcs: [cplc],
      values: [{ name: 'what', value: 'A0000000990102' }],
      stepCount: 21,
      steps: [
        { index: 0, isRollback: false, kind: 'installApplet', words: ['Wallet 1.2'] },
        { index: 0, isRollback: true, kind: 'deleteApplet', words: ['Wallet 1.2'] },
        { index: 1, isRollback: false, kind: 'MplDelete', words: ['object', 'A0000000990102'] },
      ],
    },
    state: 'pending',
    needed: 1,
    votes: [],
    requestedBy: 'somebody',
    expiresAt: moment,
    jobId: null,
    rights: { decide: null, withdraw: 'forbidden' },
    revision: 1,
    createdAt: moment,
    updatedAt: moment,
  }
  calls.answer({ 'GET /api/maple/approvals': list([request]) })
  await page.goto(`/dashboard/maple/approvals?request=${approval}`)
  const after = page.getByRole('region', { name: 'After approval' })
  await expect(after).toContainText('The steps of version 3 of the template run on cards.')
  await expect(after).toContainText('what A0000000990102')
  await expect(after).toContainText(
    'Install an applet Wallet 1.2; undone by: Delete an applet Wallet 1.2',
  )
  await expect(after).toContainText('DELETE object A0000000990102')
  await expect(after).toContainText('More steps that are not shown: 19')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})
