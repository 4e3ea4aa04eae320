import { expect, test } from 'vitest'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { planCard } from './card-plan.ts'

const issuer: SecurityDomain = {
  aid: 'A000000151000000',
  parent: null,
  state: 'secured',
  privileges: ['cardLock', 'securityDomain'],
}
const [one, two, three] = ['A00000000101', 'A00000000102', 'A00000000103'] as const
const domain = (aid: string, more: Partial<SecurityDomain> = {}): SecurityDomain => ({
  aid,
  parent: issuer.aid,
  state: 'selectable',
  privileges: ['securityDomain'],
  ...more,
})
const empty = { applications: [], loadFiles: [] }

const planned = (
  domains: SecurityDomain[],
  list: SecurityDomain[],
  { contents = empty, isReplacing = true }: { contents?: object; isReplacing?: boolean } = {},
) => planCard({ domains, list, isReplacing, contents: { ...empty, ...contents } })

/** A short description of each step. */
const steps = (...given: Parameters<typeof planned>) =>
  planned(...given).steps.map(({ kind, aid, to }) => [kind, aid, to].filter(Boolean).join(' '))

const refusals = (...given: Parameters<typeof planned>) =>
  planned(...given).plan.refusals.map(({ code }) => code)

test('a new domain is installed with its privileges, and moved into its parent', () => {
  const list = [
    issuer,
    domain(two, { parent: one, state: 'personalized', privileges: ['securityDomain'] }),
    domain(one, { privileges: ['authorizedManagement', 'securityDomain'] }),
  ]
  expect(steps([issuer], list)).toEqual([
    `install ${one} selectable`,
    `install ${two} selectable`,
    `extradite ${two} ${one}`,
    `personalize ${two}`,
  ])
  expect(planned([issuer], list).steps.map(({ command }) => command)).toEqual([
    '80E60C002007A000000151535008A00000015153504106A000000001010380400002C9000000',
    '80E60C001E07A000000151535008A00000015153504106A00000000102018002C9000000',
    '80E610001206A000000001010006A0000000010200000000',
    '80F0400F06A00000000102',
  ])
})

test('domains are deleted from the leaves, after those that stay have been moved out', () => {
  const before = [issuer, domain(one), domain(two, { parent: one }), domain(three, { parent: two })]
  const after = [issuer, domain(three)]
  expect(steps(before, after)).toEqual([
    `extradite ${three} ${issuer.aid}`,
    `delete ${two}`,
    `delete ${one}`,
  ])
})

test('domains that change places never move into themselves', () => {
  const before = [issuer, domain(one), domain(two, { parent: one })]
  const after = [issuer, domain(two), domain(one, { parent: two })]
  expect(steps(before, after)).toEqual([
    `extradite ${two} ${issuer.aid}`,
    `extradite ${one} ${two}`,
  ])
})

test('the contents of a deleted domain are named, and deleted with it only on request', () => {
  const contents = {
    applications: [
      {
        aid: 'D27600',
        loadFileAid: null,
        moduleAid: null,
        state: '',
        isDomain: false,
        domainAid: one,
      },
      { aid: two, loadFileAid: null, moduleAid: null, state: '', isDomain: true, domainAid: one },
    ],
    loadFiles: [{ aid: 'D276', version: null, modules: [], domainAid: one }],
  }
  const [step] = planned([issuer, domain(one)], [issuer], { contents }).steps
  expect([step?.deletes, step?.command]).toEqual([['D27600', 'D276'], `80E40080084F06${one}00`])
  const [alone] = planned([issuer, domain(one)], [issuer]).steps
  expect([alone?.deletes, alone?.command]).toEqual([[], `80E40000084F06${one}00`])
})

test('a lock is removed first and set last', () => {
  const before = [{ ...issuer, state: 'cardLocked' as const }, domain(one, { state: 'locked' })]
  const after = [issuer, domain(one), domain(two, { state: 'locked' })]
  expect(steps(before, after)).toEqual([
    `cardState ${issuer.aid} secured`,
    `unlock ${one} selectable`,
    `install ${two} selectable`,
    `lock ${two}`,
  ])
  const ready = { ...issuer, state: 'opReady' as const }
  const locked = { ...issuer, state: 'cardLocked' as const }
  expect(steps([ready], [locked, domain(one, { state: 'locked' })])).toEqual([
    `install ${one} selectable`,
    `cardState ${issuer.aid} initialized`,
    `cardState ${issuer.aid} secured`,
    `lock ${one}`,
    `cardState ${issuer.aid} cardLocked`,
  ])
})

test('a privilege that only one domain can have is given up before another one gets it', () => {
  const [has, lacks] = [['cardReset', 'securityDomain'], ['securityDomain']] as const
  const before = [
    issuer,
    domain(one, { privileges: [...lacks] }),
    domain(two, { privileges: [...has] }),
  ]
  const after = [
    issuer,
    domain(one, { privileges: [...has] }),
    domain(two, { privileges: [...lacks] }),
  ]
  expect(steps(before, after)).toEqual([`privileges ${two}`, `privileges ${one}`])
})

test('a domain that is only installed becomes selectable before it is personalized', () => {
  const before = [issuer, domain(one, { state: 'installed' })]
  expect(steps(before, [issuer, domain(one, { state: 'personalized' })])).toEqual([
    `makeSelectable ${one}`,
    `personalize ${one}`,
  ])
  expect(steps([issuer], [issuer, domain(one, { state: 'installed' })])).toEqual([
    `install ${one} installed`,
  ])
})

test('changes that no command can make are refused before anything is sent', () => {
  expect(refusals([issuer], [{ ...issuer, privileges: ['securityDomain'] }])).toEqual([
    'issuerPrivileges',
  ])
  expect(refusals([issuer], [{ ...issuer, state: 'terminated' }])).toEqual(['terminates'])
  const locked = domain(one, { state: 'locked' })
  expect(refusals([issuer, locked], [issuer, locked, domain(two, { parent: one })])).toEqual([
    'parentLocked',
  ])
  const closed = { ...issuer, state: 'cardLocked' as const }
  expect(refusals([closed], [closed, domain(one)])).toEqual(['cardIsLocked'])
  expect(refusals([closed, domain(one)], [closed])).toEqual(['cardIsLocked'])
})

test('a list that adds keeps the other domains', () => {
  const given = [[issuer, domain(one)], [domain(two)], { isReplacing: false }] as const
  expect(steps([...given[0]], [...given[1]], given[2])).toEqual([`install ${two} selectable`])
})
