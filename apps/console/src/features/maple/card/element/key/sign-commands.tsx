import { Trans, useLingui } from '@lingui/react/macro'
import { FolderOpen } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { useFileChoice } from '../../../../../ui/file/use-file-choice.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { readCommands } from '../../delegation-files.ts'
import { refreshKeys } from './key.api.ts'

interface SignValues {
  text: string
}

/** The commands in a text: those of a file, or one per line. */
function commandsIn(text: string, cplc: string): string[] | 'other' | undefined {
  const file = readCommands(text)
  if (file) return file.cplc.toUpperCase() === cplc.toUpperCase() ? file.commands : 'other'
  const lines = text.split('\n').flatMap((line) => line.replaceAll(/\s/g, '') || [])
  return lines.length > 0 && lines.every((line) => /^([0-9A-Fa-f]{2}){4,}$/.test(line))
    ? lines
    : undefined
}

/** Asks another person whether commands may be signed with the card’s key for tokens. */
export function SignCommands({ cplc, onClose }: { cplc: string; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Sign commands for this card?`}
      submitLabel={t`Request the tokens`}
      form={{
        values: { text: '' },
        check: ({ text }: SignValues) => {
          const found = commandsIn(text, cplc)
          return {
            text:
              found === 'other'
                ? t`These commands are for another card.`
                : found === undefined
                  ? t`Enter commands in hex, one in each line, or open the file with them.`
                  : undefined,
          }
        },
        submit: ({ text }) => {
          const commands = commandsIn(text, cplc)
          return api.maple.post('/api/maple/se/tokens', {
            body: { cplc, commands: Array.isArray(commands) ? commands : [] },
          })
        },
        fieldOf: () => 'text',
      }}
      done={() => t`The request is waiting for the approval of another person.`}
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>
            <Trans>
              A security domain with delegated management sends each command with a token. Here you
              get tokens for whoever has such a domain but not this card’s key. Another person
              approves it first.
            </Trans>
          </p>
          <CommandsField form={form} />
        </>
      )}
    </ChangeDialog>
  )
}

function CommandsField({ form }: { form: Form<SignValues> }) {
  const { t } = useLingui()
  const read = async (file: File | undefined) => {
    if (file) form.set({ text: await file.text() })
  }
  const choice = useFileChoice({ accept: '.json,.txt', onFiles: ([file]) => void read(file) })
  return (
    <>
      <div className="actions">
        <button type="button" className="button" onClick={choice.choose}>
          <FolderOpen size={16} aria-hidden />
          <Trans>Open commands…</Trans>
        </button>
        {choice.input}
      </div>
      <AreaField
        label={t`Commands`}
        hint={t`INSTALL and DELETE without tokens, as the page of an applet saves them`}
        rows={6}
        {...codeField}
        {...form.input('text')}
      />
    </>
  )
}
