import { expect, test } from 'vitest'
import { installForLoad } from '@grove/secure-element/host/install'
import type { Command } from '@grove/secure-element/apdu'
import type { AppletFacts } from './applet.queries.ts'
import { likelyCauses } from './likely-cause.ts'

const applet = {
  packageAid: 'D27600008501',
  format: '2.1',
  usesIntegers: false,
  imports: [{ aid: 'A0000000620101', major: 1, minor: 6 }],
  loadSize: 2048,
} as unknown as AppletFacts
const facts = {
  state: 'secured',
  isVirtual: false,
  hasKeys: true,
  isBusy: false,
  packages: undefined,
} as const
const nothing = { applications: [], loadFiles: [], freeMemory: null }
const announced = installForLoad({ loadFileAid: applet.packageAid })
const loaded: Command = { ...announced, ins: 0xe8 }

const causes = (
  statusWord: number,
  {
    step = 'load',
    command = loaded,
    given = {},
    contents = nothing,
  }: {
    step?: string
    command?: Command
    given?: Partial<AppletFacts>
    contents?: Parameters<typeof likelyCauses>[0]['contents']
  } = {},
) =>
  likelyCauses({
    failure: { statusWord, command },
    step,
    applet: { ...applet, ...given },
    facts,
    contents,
  }).map(({ code, params }) => [code, Object.values(params).join()].join(' ').trim())

const wanted = 'cause_imports javacard.framework 1.6 (Java Card 3.0.5)'

test('a refusal before the first block points to an AID in the ROM, then to imports', () => {
  expect(causes(0x6985, { command: announced })).toEqual([`cause_rom ${applet.packageAid}`, wanted])
  expect(causes(0x6985)).toEqual([wanted])
})

test('6438 names the imports, also those that the card lists', () => {
  const framework = {
    aid: 'A0000000620101',
    version: '1.6',
    modules: [],
  }
  const contents = { ...nothing, loadFiles: [framework] }
  expect(causes(0x6438)).toEqual([wanted])
  expect(causes(0x6438, { contents })).toEqual([wanted])
  expect(causes(0x6f00, { contents })).toEqual([])
})

test('too little memory, integers and a new format are named as causes', () => {
  expect(causes(0x6a84)).toEqual(['cause_memory 2048'])
  expect(causes(0x6f00, { given: { usesIntegers: true, format: '2.3' } })).toEqual([
    wanted,
    'cause_integers',
    'cause_format 2.3',
  ])
})

test('a failing install() has its own cause, and other steps have none', () => {
  expect(causes(0x6f00, { step: 'install' })).toEqual(['cause_install'])
  expect(causes(0x6985, { step: 'delete' })).toEqual([])
  expect(causes(0x6982)).toEqual([])
})
