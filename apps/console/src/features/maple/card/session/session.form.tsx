import type { ElementSession } from '@grove/contract/maple/card/session'
import { chipNumber } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ApiProblem } from '../../../../api/problem.ts'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Combobox, invalidButton } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { Person } from '../../../../people/person.tsx'
import { elementOptions, liveSessionOf, path, sessions } from './session.api.ts'
import styles from './session.module.css'

interface OpenValues {
  cplc: string
}

interface OpenSessionProps extends NewItem {
  /** The element that the URL names. */
  cplc: string | undefined
}

/** Chooses an element and opens a session to it. */
export function OpenSession({ cplc = '', ...panel }: OpenSessionProps) {
  const { t } = useLingui()
  const field = useId()
  const [chosen, setChosen] = useState<ComboboxOption | null>(() => optionOf(cplc))
  return (
    <CreateItem<OpenValues, ElementSession>
      {...panel}
      items={sessions}
      title={t`Open a session`}
      submitLabel={t`Open`}
      savedText={() => t`The session is open.`}
      form={{
        values: { cplc },
        check: (values) => (values.cplc === '' ? { cplc: t`Choose an element.` } : {}),
        submit: (values) => api.maple.post(path, { body: values }),
      }}
    >
      {(form) => (
        <>
          <div className="field">
            <label htmlFor={field}>{t`Secure element`}</label>
            <Combobox
              label={t`Secure element`}
              // A draft only restores the element.
              value={chosen?.id === form.values.cplc ? chosen : optionOf(form.values.cplc)}
              options={elementOptions}
              placeholder={t`Search by CPLC, chip ID or serial`}
              onChange={(option) => {
                setChosen(option)
                form.set({ cplc: option?.id ?? '' })
              }}
              button={invalidButton(field, form.errors['cplc'])}
            />
            <div className="field-hint">
              <Trans>
                A session can reach software cards, and elements in a card reader that is connected
                to Grove.
              </Trans>
            </div>
            {form.errors['cplc'] && (
              <div id={`${field}-error`} className="field-error">
                {form.errors['cplc']}
              </div>
            )}
          </div>
          {isHeld(form.error) && <Held {...form.values} onOpened={panel.onCreated} />}
        </>
      )}
    </CreateItem>
  )
}

const optionOf = (cplc: string): ComboboxOption | null =>
  cplc === '' ? null : { id: cplc, label: chipNumber(cplc), note: cplc }

const isHeld = (error: unknown) => error instanceof ApiProblem && error.code === 'lease_held'

interface HeldProps extends OpenValues {
  onOpened: (id: string) => void
}

/** The element already has a session: watch it, or deliberately end it. */
function Held({ cplc, onOpened }: HeldProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { data: session } = useQuery({
    queryKey: ['maple', path, 'live', cplc],
    queryFn: async () => (await liveSessionOf(cplc)) ?? null,
  })
  if (!session) return null
  const takeOver = () => {
    let opened = ''
    return confirmed({
      question: {
        title: t`End the session of the element?`,
        text: t`A command already sent is not repeated. The person using the session will see that it was ended.`,
        action: t`End it and open a new one`,
        isDanger: true,
      },
      change: async () => {
        const answer = await api.maple.post(path, { body: { cplc, takeOver: true } })
        opened = answer.id
      },
      done: () => t`The session is open.`,
      onDone: () => onOpened(opened),
      refresh: sessions.refresh,
    })
  }
  return (
    <div className={styles.held}>
      <p>
        <Trans>
          Opened by <Person id={session.openedBy} />{' '}
          <DateText value={session.openedAt} isRelative />
        </Trans>
      </p>
      <Link
        to="/dashboard/maple/sessions/se/$id"
        params={{ id: session.id }}
        className="button primary"
      >
        <Trans>Watch that session</Trans>
      </Link>
      <button type="button" className="button" onClick={() => void takeOver()}>
        <Trans>End it and open a new one…</Trans>
      </button>
    </div>
  )
}
