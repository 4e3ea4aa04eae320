import { aidPattern } from '@grove/secure-element/aid'
import { Type } from 'typebox'

/** An application identifier: 5 to 16 bytes in hexadecimal. */
export const Aid = Type.String({ pattern: aidPattern, examples: ['A000000151000000'] })
