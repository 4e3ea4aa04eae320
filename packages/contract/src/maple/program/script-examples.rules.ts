/** Scripts to start from. Each runs on a software card that has the applet it speaks of. */
export const scriptExamples = [
  {
    id: 'identify',
    code: `// Read the CPLC: it tells the chip and who made it.
se.select()
se.send({ kind: 'MplGetData', tag: '9F7F' })
const { data } = assertSW(0x9000)

log('CPLC', data.slice(6))
log('Fabricator', data.slice(6, 10), 'type', data.slice(10, 14))
data.slice(6)
`,
  },
  {
    id: 'install',
    code: `// Install an applet. What the card has already stays as it is.
const applet = input('applet')

const { state, findings } = se.install(applet)
log('Applet', applet, state)
for (const finding of findings) log(finding)
state
`,
  },
  {
    id: 'list',
    code: `// List the applications of the card with their states.
const states = { '03': 'installed', '07': 'selectable', '83': 'locked', '87': 'locked' }

se.select()
se.open({ level: '03' })
const found = []
let isNext = false
do {
  se.send({ kind: 'MplGetStatus', subset: 'applications', isNext })
  // 6310: more follows. 6A88: there is none.
  const { sw, data } = assertSW(0x9000, 0x6310, 0x6a88)
  for (const { children } of tlv(data)) {
    const aid = children.find(({ tag }) => tag === '4F').value
    const state = children.find(({ tag }) => tag === '9F70').value
    log(aid, states[state] ?? state)
    found.push(aid)
  }
  isNext = sw === 0x6310
} while (isNext)
found
`,
  },
  {
    id: 'memory',
    code: `// Say how much memory is left.
se.select()
se.send({ kind: 'MplGetData', tag: 'FF21' })
const { data } = assertSW(0x9000)

const [{ children }] = tlv(data)
const numberOf = (tag) => parseInt(children.find((each) => each.tag === tag).value, 16)
const memory = { applications: numberOf('81'), free: numberOf('82'), volatile: numberOf('83') }
log(memory)
memory
`,
  },
  {
    id: 'keys',
    code: `// List the key sets of the card: their versions, never the keys.
se.select()
se.send({ kind: 'MplGetData', tag: 'E0' })
const { data } = assertSW(0x9000)

const [{ children }] = tlv(data)
const versions = new Set()
for (const { value } of children) {
  log('Key', parseInt(value.slice(0, 2), 16), 'of set', parseInt(value.slice(2, 4), 16))
  versions.add(parseInt(value.slice(2, 4), 16))
}
Array.from(versions)
`,
  },
  {
    id: 'select',
    code: `// Say whether an application answers.
const aid = input('aid', 'D2760000850101')

const { sw, status, meaning } = se.select(aid)
log(aid, status, meaning)
sw === 0x9000
`,
  },
  {
    id: 'lock',
    code: `// Lock an application, see that it does not answer, and unlock it again.
const aid = input('aid', 'D2760000850101')

const setLock = (target) => {
  se.select()
  se.open({ level: '33' })
  se.send({ kind: 'MplSetStatus', target, aid })
  assertSW(0x9000)
}

setLock('lock')
const isSilent = se.select(aid).sw !== 0x9000
log(isSilent ? 'Locked' : 'It still answers')
setLock('unlock')
log('Unlocked', se.select(aid).status)
isSilent
`,
  },
  {
    id: 'store',
    code: `// Store the number of the issuer (tag 42) and read it back.
const number = input('number', '1234')

se.select()
se.open({ level: '33' })
const length = (number.length / 2).toString(16).padStart(2, '0')
se.send({ kind: 'MplStoreData', data: '42' + length + number, format: 'tlv' })
assertSW(0x9000)

se.send({ kind: 'MplGetData', tag: '42' })
const { data } = assertSW(0x9000)
log('Stored', data)
data
`,
  },
  {
    id: 'read',
    code: `// Read the file of an NDEF applet with raw commands, which need the right to them.
se.select(input('aid', 'D2760000850101'))
assertSW(0x9000)

se.transmit('00A4000C02E103')
assertSW(0x9000)
const { data } = se.transmit('00B000000F')
assertSW(0x9000)
log('Capability container', data)
data
`,
  },
  {
    id: 'delete',
    code: `// Delete a package with its applications. A card without it is as it should be.
const aid = input('package', 'D27600008501')

se.select()
se.open({ level: '33' })
se.send({ kind: 'MplDelete', target: 'object', aid, withRelated: true })
const { sw } = assertSW(0x9000, 0x6a88)
log(sw === 0x9000 ? 'Deleted' : 'It was not there', aid)
sw === 0x9000
`,
  },
] as const

export type ScriptExample = (typeof scriptExamples)[number]
