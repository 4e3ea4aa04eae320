import { remoteKeys } from '../session/keys.ts'
import { type VerifierContext, verifySessions } from '../session/verify-sessions.ts'

// Always imported dynamically: most pages never need it.

/** The verifier of a client that finds the address of the keys by discovery. */
export const createOidcVerifier = (context: VerifierContext, find: () => Promise<string>) =>
  verifySessions(context, () => remoteKeys(find, context.fetch))
