import type { SeTransport } from '../host/transport.ts'
import {
  aes,
  bytes,
  cipher,
  cmac,
  des,
  des1,
  des3,
  hexOf,
  kdf,
  lengthOf,
  pad,
  retail,
  two,
  unpad,
} from './reference-crypto.ts'

/**
 * A second implementation of the host's side of SCP02 and SCP03, to test the software card against.
 * It throws if the card's cryptogram, challenge, MAC or padding is wrong.
 */
export interface ReferenceHost {
  protocol: 2 | 3
  option: number
  level: number
  /** Static keys in hex. */
  enc: string
  mac: string
  /** AID of the selected domain; pseudo-random challenges depend on it. */
  aid: string
}

const short = '0102030405060708'
const zero8 = '00'.repeat(8)
const zero16 = '00'.repeat(16)

const must = (found: string, wanted: string, what: string) => {
  if (found !== wanted) throw new Error(`Wrong ${what}: ${found}, expected ${wanted}`)
}

/** Opens a channel, and returns a function that sends a plain `84…` command in hex. */
export async function referenceHost(
  card: SeTransport,
  { protocol, option, level, enc, mac, aid }: ReferenceHost,
): Promise<(header: string, data: string) => Promise<string>> {
  const transmit = async (hex: string) => hexOf(await card.transmit(bytes(hex)))
  /** Length of challenges, cryptograms and MACs in bytes. */
  const size = protocol === 3 && (option & 1) !== 0 ? 16 : 8
  const challenge = short.repeat(size / 8)
  if (protocol === 2 && (option & 4) === 0) return implicit02()
  const greeting = await transmit(`80500000${two(size)}${challenge}00`)
  must(greeting.slice(-4), '9000', 'status word')
  return protocol === 3 ? host03(greeting) : host02(greeting)

  async function host03(reply: string) {
    must(reply.slice(22, 26), `03${two(option)}`, 'protocol')
    const isCounted = (option & 0x10) !== 0
    must(`${reply.length / 2}`, `${15 + 2 * size + (isCounted ? 3 : 0)}`, 'length')
    const own = reply.slice(26, 26 + 2 * size)
    if (isCounted)
      must(own, kdf(enc, '02', reply.slice(-10, -4) + aid.toLowerCase(), 8 * size), 'challenge')
    const context = challenge + own
    const bits = enc.length * 4
    const [senc, smac, srmac] = [
      kdf(enc, '04', context, bits),
      kdf(mac, '06', context, bits),
      kdf(mac, '07', context, bits),
    ]
    const proof = reply.slice(26 + 2 * size, 26 + 4 * size)
    must(proof, kdf(smac, '00', context, 8 * size), 'card cryptogram')
    const cryptogram = kdf(smac, '01', context, 8 * size)
    const opening = `8482${two(level)}00${two(2 * size)}${cryptogram}`
    let chain = cmac(smac, zero16 + opening)
    const opened = await transmit(opening + chain.slice(0, 2 * size))
    must(opened, '9000', 'status word')
    let counter = 0
    const name = `aes-${bits}-cbc`
    const iv = (top: string) => aes(senc, `${top}${counter.toString(16).padStart(30, '0')}`)

    return async (header: string, data: string) => {
      counter++
      let sent = data
      if ((level & 2) !== 0 && data !== '') sent = cipher(name, senc, iv('00'), pad(data, 16))
      if ((level & 1) === 0)
        return transmit(`80${header.slice(2)}${data === '' ? '' : lengthOf(data)}${data}00`)
      const lc = lengthOf(`${sent}${'00'.repeat(size)}`)
      chain = cmac(smac, chain + header + lc + sent)
      const answer = await transmit(`${header}${lc}${sent}${chain.slice(0, 2 * size)}00`)
      const word = answer.slice(-4)
      if ((level & 0x10) === 0) return answer
      if (word !== '9000' && !/^6[23]/.test(word)) {
        must(answer, word, 'reply to an error')
        return answer
      }
      const body = answer.slice(0, -4 - 2 * size)
      const tag = answer.slice(-4 - 2 * size, -4)
      must(tag, cmac(srmac, chain + body + word).slice(0, 2 * size), 'reply MAC')
      if ((level & 0x20) === 0 || body === '') return body + word
      return unpad(cipher(name, senc, iv('80'), body, true)) + word
    }
  }

  async function host02(reply: string) {
    must(reply.slice(22, 24), '02', 'protocol')
    must(`${reply.length / 2}`, '30', 'length')
    const sequence = reply.slice(24, 28)
    const own = reply.slice(28, 40)
    const { senc, smac, srmac } = keys02(sequence)
    const full = (message: string) =>
      cipher('des-ede3-cbc', des3(senc), zero8, pad(message, 8)).slice(-16)
    if ((option & 0x40) !== 0)
      must(own, retail(smac, aid.toLowerCase(), zero8).slice(0, 12), 'challenge')
    must(reply.slice(40, 56), full(challenge + sequence + own), 'card cryptogram')
    const cryptogram = full(sequence + own + challenge)
    const last = retail(smac, `8482${two(level)}0010${cryptogram}`, zero8)
    must(await transmit(`8482${two(level)}0010${cryptogram}${last}`), '9000', 'status word')
    return send02({ senc, smac, srmac }, last)
  }

  function keys02(sequence: string) {
    const derive = (key: string, constant: string) =>
      cipher('des-ede3-cbc', des3(key), zero8, `${constant}${sequence}${'00'.repeat(12)}`)
    const macKey = (option & 1) === 0 ? enc : mac
    return {
      senc: derive(enc, '0182'),
      smac: derive(macKey, '0101'),
      srmac: derive(macKey, '0102'),
    }
  }

  async function implicit02() {
    const first = await transmit('80ca00c100')
    // A channel that is still open ends at a command without a MAC.
    const counter = first === '6982' ? await transmit('80ca00c100') : first
    const keys = keys02(counter.slice(6, 10))
    const named = retail(keys.smac, aid.toLowerCase(), zero8)
    // Treated as the MAC of a previous command: its encryption, if any, is undone.
    const last = (option & 0x10) === 0 ? named : des(des1(keys.smac), named, true)
    return send02(keys, last)
  }

  function send02({ senc, smac, srmac }: ReturnType<typeof keys02>, first: string) {
    let last = first
    let replied = first
    return async (header: string, data: string) => {
      if ((level & 1) === 0)
        return transmit(`80${header.slice(2)}${data === '' ? '' : lengthOf(data)}${data}00`)
      const bare = `80${header.slice(2)}${two(data.length / 2)}${data}`
      const covered = (option & 2) === 0 ? `${header}${two(data.length / 2 + 8)}${data}` : bare
      last = retail(smac, covered, (option & 0x10) === 0 ? last : des(des1(smac), last))
      const sent =
        (level & 2) !== 0 && data !== ''
          ? cipher('des-ede3-cbc', des3(senc), zero8, pad(data, 8))
          : data
      const answer = await transmit(`${header}${two(sent.length / 2 + 8)}${sent}${last}00`)
      if ((level & 0x10) === 0) return answer
      const [body, word] = [answer.slice(0, -20), answer.slice(-4)]
      replied = retail(srmac, bare + two(body.length / 2) + body + word, replied)
      must(answer.slice(-20, -4), replied, 'reply MAC')
      return body + word
    }
  }
}
