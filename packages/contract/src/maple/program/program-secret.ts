import { Type, type TSchema } from 'typebox'
import { under } from '../../core/program.ts'
import { noContent, Nullable, Strict, Timestamp } from '../../shapes.ts'
import { secretNamePattern } from './handler.rules.ts'

const SecretName = Type.String({ pattern: secretNamePattern, examples: ['apiKey'] })

/** A secret of a program, without its value, which is never returned. */
const ProgramSecret = Type.Object({
  name: Type.String(),
  updatedBy: Nullable(Type.String()),
  updatedAt: Timestamp,
})
export type ProgramSecret = Type.Static<typeof ProgramSecret>

interface Secrets<Value> {
  /** What has the secrets, such as "a script". */
  of: string
  /** What becomes of a value that is set. */
  description: string
  value: Value
}

/** Lists the secrets of a program by name, sets one and deletes one. */
export const secretCalls = <Path extends `/${string}`, Value extends TSchema>(
  path: Path,
  { of, description, value }: Secrets<Value>,
) =>
  under(path, {
    'GET secret': {
      summary: `List the secrets of ${of}`,
      description: 'The values are never given away.',
      response: Type.Object({ items: Type.Array(ProgramSecret) }),
    },
    'PUT secret': {
      summary: `Set a secret of ${of}`,
      description,
      body: Strict({ name: SecretName, value }),
      response: ProgramSecret,
      problems: ['limit_reached', 'vault_unavailable'],
    },
    'DELETE secret': {
      summary: `Delete a secret of ${of}`,
      query: Strict({ name: SecretName }),
      ...noContent,
    },
  })
