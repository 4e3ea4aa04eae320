import { openNative } from './native-pcsc.ts'
import type { Pcsc } from './pcsc.ts'
import { openPcscd } from './pcscd.ts'

/** Opens the PC/SC service of this machine. @throws PcscError `service`, with words that say what to do. */
export const openPcsc = (): Promise<Pcsc> =>
  process.platform === 'linux' ? openPcscd() : openNative()
