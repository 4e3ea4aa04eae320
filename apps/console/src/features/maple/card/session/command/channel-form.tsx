import type { ElementSession } from '@grove/contract/maple/card/session'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { credentialsQuery } from '../../scp11.api.ts'
import { path } from '../session.api.ts'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import styles from '../../command/command.module.css'
import { channelBody, type Level } from './channel-body.ts'
import { SendProblem } from './send-problem.tsx'
import { useFocusOnWrong } from './use-focus-on-wrong.ts'
import { useSend } from './use-send.ts'

interface ChannelFormProps {
  session: ElementSession
  refusal: string | undefined
}

const firstLevel: Level = '03'

/** Opens a secure channel with the element's keys. */
export function ChannelForm({ session, refusal }: ChannelFormProps) {
  const { t } = useLingui()
  const [level, setLevel] = useState<Level>(firstLevel)
  const [version, setVersion] = useState('')
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const [refusals, setRefusals] = useState(0)
  useFocusOnWrong(form, refusals)
  const { send, isSending, problem, forget } = useSend()
  const [chosen, setChosen] = useState<string>()
  // Anyone who may not see them is refused, and opens the channel with the element's default.
  const { data: known } = useQuery({ ...credentialsQuery(session.cplc), retry: false })
  const credentials = known?.items ?? []
  const credential = chosen ?? credentials.find(({ isDefault }) => isDefault)?.id ?? ''
  const isAgreed = credential !== ''
  const { isRestored } = useTypedDraft('channel', {
    typed: { level, version },
    first: { level: firstLevel, version: '' },
    restore: (draft) => {
      setLevel(draft.level)
      setVersion(draft.version)
    },
  })
  const words: Record<Level, string> = {
    '00': t`00 · authenticates only`,
    '01': t`01 · commands have a MAC`,
    '03': t`03 · commands have a MAC and are encrypted`,
    '11': t`11 · commands and replies have a MAC`,
    '13': t`13 · both have a MAC, commands are encrypted`,
    '33': t`33 · both have a MAC and are encrypted`,
  }
  const number = Number(version)
  const isWrong = version.trim() !== '' && !(Number.isInteger(number) && number > 0 && number < 128)

  const submit = async () => {
    setTried(true)
    if (refusal !== undefined) return
    if (isWrong && !isAgreed) return setRefusals((count) => count + 1)
    await send((id) =>
      api.maple.post(`${path}/{id}/channel`, {
        params: { id: session.id },
        body: {
          id,
          ...channelBody({
            level,
            keyVersion: version.trim() === '' ? undefined : number,
            credential: known && credential,
          }),
        },
      }),
    )
  }

  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p className="muted">
        {isAgreed ? (
          <Trans>
            Select a security domain first; after a reset, the issuer’s domain is selected. The card
            proves itself with its certificates before both sides agree on keys. Commands and
            replies have a MAC and are encrypted.
          </Trans>
        ) : (
          <Trans>
            Select a security domain first; after a reset, the issuer’s domain is selected. The card
            reports whether it uses SCP02 or SCP03. The keys stay where they are kept.
          </Trans>
        )}
      </p>
      <div className={`${styles.fields} ${styles.wide}`}>
        {credentials.length > 0 && (
          <SelectField
            label={t`Open with`}
            value={credential}
            words={{
              '': t`keys of the card`,
              ...Object.fromEntries(
                credentials.map(({ id, name, variant }) => [id, `SCP11${variant} · ${name}`]),
              ),
            }}
            onChange={(next) => {
              setChosen(next)
              forget()
            }}
          />
        )}
        {!isAgreed && (
          <>
            <SelectField
              label={t`Security level`}
              value={level}
              words={words}
              onChange={(chosen) => {
                setLevel(chosen)
                forget()
              }}
            />
            <Field
              label={t`Key version (optional)`}
              hint={t`1 to 127, or in hex as on the page of the element: 0x30. Without it, the card chooses.`}
              inputMode="numeric"
              value={version}
              error={isTried && isWrong ? t`Enter a number from 1 to 127.` : undefined}
              onChange={({ target }) => {
                setVersion(target.value)
                forget()
              }}
              {...codeField}
            />
          </>
        )}
      </div>
      {isRestored && <output className="muted">{t`Restored what you typed.`}</output>}
      <SendProblem problem={problem} />
      <button
        type="submit"
        className={session.channel ? 'button' : 'button primary'}
        aria-disabled={refusal !== undefined || isSending}
      >
        <ShieldCheck size={16} aria-hidden />
        {session.channel ? t`Open another channel` : t`Open a secure channel`}
      </button>
      {refusal !== undefined && <p className="field-hint">{refusal}</p>}
    </form>
  )
}
