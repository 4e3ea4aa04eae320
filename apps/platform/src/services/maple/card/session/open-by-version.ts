import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { ChannelError } from '@grove/secure-element/secure-channel/channel-error'
import { ProblemError } from '../../../../core/http/problem.ts'

const noSuchKeys = 0x6a88

/** Neither reached EXTERNAL AUTHENTICATE, so nothing was counted against the card. */
const isOtherVersion = (error: unknown): boolean =>
  error instanceof ProblemError
    ? error.code === 'key_missing'
    : error instanceof ChannelError &&
      (error.code === 'otherKeyVersion' ||
        (error.code === 'initializeRefused' && error.statusWord === noSuchKeys))

/**
 * Opens a channel with the keys that the card chooses. If it chooses none, or keys that Grove lacks,
 * each version that Grove has is tried.
 */
export async function openByVersion(
  open: (keyVersion?: number) => Promise<SecureChannel>,
  known: () => Promise<readonly number[]>,
): Promise<SecureChannel> {
  try {
    return await open()
  } catch (error) {
    if (!isOtherVersion(error)) throw error
    for (const version of await known())
      try {
        return await open(version)
      } catch (next) {
        if (!isOtherVersion(next)) throw next
      }
    throw error
  }
}
