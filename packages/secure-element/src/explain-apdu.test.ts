import { expect, test } from 'vitest'
import { readHex } from './bytes.ts'
import { explainCommand, explainResponse } from './explain-apdu.ts'
import type { Part } from './part.ts'

const now = new Date('2026-11-21T12:00:00Z')

/** Names and hex of parts as an outline. */
const outline = (parts: readonly Part[]): unknown[] =>
  parts.map(({ name, hex, parts: inner }) => (inner ? [name, outline(inner)] : `${name} ${hex}`))

const explained = (hex: string) => outline(explainCommand(readHex(hex), now))
const meaningOf = (hex: string, name: string) =>
  explainCommand(readHex(hex), now).find((each) => each.name === name)?.meaning

// The commands that GlobalPlatformPro sends to load, install and delete Empty_0102030405.
test('explains INSTALL [for load]', () => {
  const hex = '80E602001205010203040508A00000015100000000000000'
  expect(meaningOf(hex, 'parameter1')).toEqual({ kind: 'name', text: 'INSTALL [load]' })
  expect(explained(hex)).toEqual([
    'class 80',
    'instruction E6',
    'parameter1 02',
    'parameter2 00',
    'dataLength 12',
    [
      'data',
      [
        'length 05',
        ['loadFileAid', ['rid 0102030405']],
        'length 08',
        ['securityDomainAid', ['rid A000000151', 'pix 000000']],
        'length 00',
        'length 00',
        'length 00',
      ],
    ],
    'expectedLength 00',
  ])
})

test('explains INSTALL [for install and make selectable]', () => {
  const hex = '80E60C001E0501020304050801020304050607080801020304050607080100 02C900 00 00'
  expect(meaningOf(hex, 'parameter1')).toEqual({
    kind: 'name',
    text: 'INSTALL [install, make selectable]',
  })
  const data = explainCommand(readHex(hex), now).find(({ name }) => name === 'data')
  expect(data?.parts?.map(({ name }) => name).filter((name) => name !== 'length')).toEqual([
    'loadFileAid',
    'moduleAid',
    'applicationAid',
    'privileges',
    'parameters',
  ])
  expect(data?.parts?.at(-2)?.parts?.[0]).toMatchObject({ name: 'applicationParameters' })
})

test('explains the logical channel of a command, and MANAGE CHANNEL', () => {
  expect(explained('81CA9F7F00')).toEqual([
    ['class', ['logicalChannel 81']],
    'instruction CA',
    'objectTag 9F7F',
    'expectedLength 00',
  ])
  const numbers = (hex: string) =>
    explainCommand(readHex(hex), now)[0]?.parts?.map(({ meaning }) => meaning)
  expect(numbers('86F28002024F00')).toEqual([{ kind: 'number', value: 2 }])
  expect(numbers('80F28002024F00')).toBeUndefined()
  expect(meaningOf('0070000001', 'instruction')).toEqual({ kind: 'name', text: 'MANAGE CHANNEL' })
  expect(meaningOf('0070000001', 'parameter1')).toEqual({ kind: 'term', term: 'logical.open' })
  expect(meaningOf('00708003', 'parameter1')).toEqual({ kind: 'term', term: 'logical.close' })
  expect(meaningOf('00708003', 'parameter2')).toEqual({ kind: 'number', value: 3 })
})

test('explains DELETE', () => {
  expect(explained('80E40080074F05010203040500')).toEqual([
    'class 80',
    'instruction E4',
    'parameter1 00',
    'parameter2 80',
    'dataLength 07',
    ['data', [['aid', ['tag 4F', 'length 05', ['value', ['rid 0102030405']]]]]],
    'expectedLength 00',
  ])
})

// martinpaljak/GlobalPlatformPro, TestParseTags.testLV: a hash of 32 bytes and a token of 128.
test('explains INSTALL [for load] with a hash and a long token', () => {
  const data =
    '05060906090608D233000000444F4D20DADFAD3ABBEFC249B1C878566C24ECB072289A15D06F4539E4AF03E876F763F00081804861F702FE0C7E2FDA2F993A19C93F6326A4AE5E0DA72500E4754F7C1A82DA07554D2E084799AFA7037A25CF9E2A7EA67066C4FDCC0DC2C5FD096BA4BEB3C7A4462E040A3F8AC9FF870DA2A4CF624466A43BE8D75713F3D4A7263A1A4C1B6E819FE73A80B46E4F03C20A6FBE44B55A036923D2F9C3090CA3EA2E463B83A13DB7'
  const length = (data.length / 2).toString(16).toUpperCase()
  const parts = explainCommand(readHex(`80E60200${length}${data}`), now)
  const fields = parts.find(({ name }) => name === 'data')?.parts ?? []
  const sizes = fields.filter(({ name }) => name !== 'length').map((e) => [e.name, e.to - e.from])
  expect(sizes).toEqual([
    ['loadFileAid', 5],
    ['securityDomainAid', 8],
    ['loadFileHash', 32],
    ['token', 128],
  ])
})

test('explains GET DATA, GET STATUS, SET STATUS and SELECT', () => {
  expect(meaningOf('80CA9F7F00', 'objectTag')).toEqual({ kind: 'object', name: 'cplc' })
  expect(meaningOf('80CA00E000', 'objectTag')).toEqual({
    kind: 'object',
    name: 'keyInformationTemplate',
  })
  expect(meaningOf('80F24002024F0000', 'parameter1')).toEqual({
    kind: 'term',
    term: 'subset.applications',
  })
  expect(meaningOf('80F24003024F0000', 'parameter2')).toEqual({ kind: 'term', term: 'list.next' })
  expect(meaningOf('80F0807F00', 'parameter2')).toEqual({ kind: 'term', term: 'state.cardLocked' })
  expect(explained('00A4040008A00000015100000000')[5]).toEqual([
    'data',
    [['aid', ['rid A000000151', 'pix 000000']]],
  ])
  expect(meaningOf('00A4040000', 'expectedLength')).toEqual({ kind: 'number', value: 256 })
})

// osmocom/pysim, test_globalplatform.py: SCP03 with AES-128.
test('explains the commands that open a secure channel', () => {
  expect(explained('8050300008B13E5F938FC108C400')[5]).toEqual([
    'data',
    ['hostChallenge B13E5F938FC108C4'],
  ])
  const authenticate = explained('84821100107D5F5826A993EBC89EEA24957FA0B3CE')
  expect(authenticate[5]).toEqual([
    'data',
    ['hostCryptogram 7D5F5826A993EBC8', 'messageCode 9EEA24957FA0B3CE'],
  ])
  expect(meaningOf('84821100107D5F5826A993EBC89EEA24957FA0B3CE', 'class')).toEqual({
    kind: 'term',
    term: 'class.securedProprietary',
  })
  expect(explained('84E291000EBF3E035C015A558D036518A2829700')[5]).toEqual([
    'data',
    [
      ['dataObject', ['tag BF3E', 'length 03', ['tagList', ['tag 5C', 'length 01', 'value 5A']]]],
      'messageCode 558D036518A28297',
    ],
  ])
})

// Samsung/OpenSCP-Java b9876fc, SmartCardScp03Aes128S16ModeEmulation.
test('explains the longer cryptograms and MACs of S16 mode', () => {
  const cryptogram = '1C6A43582F842A90D81CA4E970754664'
  const code = 'D8C0C6C340E007C5C6EBCDF4F7C065BE'
  expect(explained(`8482330020${cryptogram}${code}`)[5]).toEqual([
    'data',
    [`hostCryptogram ${cryptogram}`, `messageCode ${code}`],
  ])
  const mac = 'EB30913C363A6C1309D13ADC765D9DF1'
  const status = readHex(`84F22002124F00${mac}`)
  const data = (length: 8 | 16) =>
    explainCommand(status, now, length)
      .find(({ name }) => name === 'data')
      ?.parts?.at(-1)
  expect(data(16)).toMatchObject({ name: 'messageCode', hex: mac })
  expect(data(8)).toMatchObject({ name: 'messageCode', hex: mac.slice(16) })
})

test('explains PUT KEY by its blocks', () => {
  const block = `8811 10${'AB'.repeat(16)} 03504A77`
  const parts = explained(`80D8008146 30 ${block.repeat(3)}`)
  expect(parts[5]).toMatchObject([
    'data',
    [
      'keyVersion 30',
      [
        'keyBlock',
        [
          'keyType 88',
          'length 11',
          `keyValue 10${'AB'.repeat(16)}`,
          'length 03',
          'keyCheckValue 504A77',
        ],
      ],
      expect.anything(),
      expect.anything(),
    ],
  ])
})

test('leaves data plain that does not have the form of its command', () => {
  expect(explained('80E4000002FFFF')[5]).toBe('data FFFF')
})

// martinpaljak/GlobalPlatformPro #103: a real card's answer to SELECT.
test('explains the answer to SELECT with its version and secure channel', () => {
  const hex =
    '6F658408A000000018434D00A559734A06072A864886FC6B01600C060A2A864886FC6B02020101630906072A864886FC6B03640B06092A864886FC6B040310650B06092B8510864864020103660C060A2B060104012A026E01029F6E061291535602009F6501FF9000'
  const parts = explainResponse(readHex(hex), now)
  const names: string[] = []
  const collect = (list: readonly Part[]) => {
    for (const { meaning, parts } of list) {
      if (meaning?.kind === 'name') names.push(meaning.text)
      collect(parts ?? [])
    }
  }
  collect(parts)
  expect(names).toEqual(expect.arrayContaining(['GlobalPlatform 2.1.1', 'SCP03 i=10', 'Gemalto']))
  expect(parts.at(-1)?.meaning).toEqual({ kind: 'term', term: 'status.success' })
})

// kaoh/globalplatform, getDataTest.c. It calls the first version 2.2.3: it counts the arc before it.
test.each([
  [
    '664D734B06072A864886FC6B01600B06092A864886FC6B020203630906072A864886FC6B03640B06092A864886FC6B040370650D060B2A864886FC6B0507020000660C060A2B060104012A026E0103',
    ['GlobalPlatform 2.3', 'SCP03 i=70', '1.2.840.114283.5.7.2.0.0', '1.3.6.1.4.1.42.2.110.1.3'],
  ],
  [
    '663F733D06072A864886FC6B01600C060A2A864886FC6B02020301630906072A864886FC6B03640B06092A864886FC6B040360640C060A2A864886FC6B04119B06',
    ['GlobalPlatform 2.3.1', 'SCP03 i=60', 'SCP11 i=D86'],
  ],
])('names the version and channels of card data %s', (hex, expected) => {
  const text = JSON.stringify(explainResponse(readHex(`${hex}9000`), now))
  for (const name of expected) expect(text).toContain(`"${name}"`)
})

test('counts the free memory of a card', () => {
  const text = JSON.stringify(
    explainResponse(readHex('FF211081020002820400016DB483040000086A9000'), now),
  )
  for (const value of [2, 0x16db4, 0x86a])
    expect(text).toContain(`{"kind":"number","value":${value}}`)
})

// martinpaljak/GlobalPlatformPro, TestParseTags: card capabilities, one set malformed by the card.
test.each([
  '6735A00E8001038106001020306070820107A007800102810215558103FF9E0082031E160083010284018F8502FF028602FF028702FF02',
  '673A6738A006800102810155A00A8001038102001082010781039EFE8082031E03008301028504010208408602040887040102084088050102030405',
  '6724A0098001028104153555758103E5BEC082031E030083010284010285017B86010C87017B',
])('explains the card capabilities %s', (hex) => {
  const text = JSON.stringify(explainResponse(readHex(`${hex}9000`), now))
  for (const name of ['secureChannelCapabilities', 'domainPrivileges', 'hashAlgorithms'])
    expect(text).toContain(`"${name}"`)
})
