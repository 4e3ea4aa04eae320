import type { ElementSession } from '@grove/contract/maple/card/session'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { Combobox, invalidButton } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { elementOptions, path, sessions } from './session.api.ts'
import styles from './session.module.css'

interface ReplayDialogProps {
  session: ElementSession
  onClose: () => void
}

type Replay = Awaited<ReturnType<typeof replay>>
const replay = (id: string, cplc: string) =>
  api.maple.post(`${path}/{id}/replay`, { params: { id }, body: { cplc } })

/** Sends the commands of a session to a software card, and shows where its responses differ. */
export function ReplayDialog({ session, onClose }: ReplayDialogProps) {
  const { t } = useLingui()
  const field = useId()
  const [chosen, setChosen] = useState<ComboboxOption | null>(null)
  const [result, setResult] = useState<Replay>()
  const form = useForm({
    values: { cplc: '' },
    check: ({ cplc }) => (cplc === '' ? { cplc: t`Choose a software card.` } : {}),
    submit: ({ cplc }) => replay(session.id, cplc),
    onSaved: (done) => {
      void sessions.refresh()
      setResult(done)
    },
  })
  if (result)
    return (
      <Dialog title={t`Replay`} closeLabel={t`Close`} onClose={onClose}>
        <Outcome result={result} />
      </Dialog>
    )
  return (
    <FormDialog
      title={t`Replay on a software card`}
      form={form}
      submitLabel={t`Replay`}
      onClose={onClose}
    >
      <p>
        <Trans>
          A new session sends the same commands and compares the status words. Commands with bytes
          that were never stored are skipped.
        </Trans>
      </p>
      <div className="field">
        <label htmlFor={field}>{t`Software card`}</label>
        <Combobox
          label={t`Software card`}
          value={chosen}
          options={elementOptions}
          placeholder={t`Search by CPLC, chip ID or serial`}
          onChange={(option) => {
            setChosen(option)
            form.set({ cplc: option?.id ?? '' })
          }}
          button={invalidButton(field, form.errors['cplc'])}
        />
        {form.errors['cplc'] && (
          <div id={`${field}-error`} className="field-error">
            {form.errors['cplc']}
          </div>
        )}
      </div>
    </FormDialog>
  )
}

function Outcome({ result: { session, compared, skipped, difference } }: { result: Replay }) {
  const nothing = <Trans>no answer</Trans>
  return (
    <div className={styles.replay}>
      <p>
        {difference ? (
          <TriangleAlert size={16} aria-hidden />
        ) : (
          <CircleCheck size={16} aria-hidden />
        )}
        {difference ? (
          <Trans>
            Exchange {difference.seq} differs: expected{' '}
            <code>{difference.expected ?? nothing}</code>, the card answered{' '}
            <code>{difference.found ?? nothing}</code>.
          </Trans>
        ) : (
          <Trans>Every status word is the same.</Trans>
        )}
      </p>
      {difference && (
        <p>
          <code className={styles.wrap}>{difference.command}</code>
        </p>
      )}
      <p className="muted">
        <Plural value={compared} one="# command compared" other="# commands compared" />
        {skipped > 0 && (
          <>
            , <Plural value={skipped} one="# skipped" other="# skipped" />
          </>
        )}
      </p>
      <Link
        to="/dashboard/maple/sessions/se/$id"
        params={{ id: session.id }}
        className="button primary"
      >
        <Trans>Open the replay</Trans>
      </Link>
    </div>
  )
}
