import { keysOf } from './configured-keys.ts'
import { type VerifierContext, verifySessions } from './verify-sessions.ts'

// Always imported dynamically: most pages never need it.

/** The verifier of a client whose options say where the keys are. */
export const createSessionVerifier = (context: VerifierContext) => verifySessions(context, keysOf)
