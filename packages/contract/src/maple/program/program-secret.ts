import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../shapes.ts'
import { secretNamePattern } from './handler.rules.ts'

export const SecretName = Type.String({ pattern: secretNamePattern, examples: ['apiKey'] })

/** A secret of a program, without its value, which is never returned. */
export const ProgramSecret = Type.Object({
  name: Type.String(),
  updatedBy: Nullable(Type.String()),
  updatedAt: Timestamp,
})
export type ProgramSecret = Type.Static<typeof ProgramSecret>
