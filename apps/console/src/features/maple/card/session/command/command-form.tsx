import {
  sessionCommandKinds,
  sessionCommands,
  type SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { DecodeError } from '@grove/secure-element/decode-error'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { RefreshCw, Send } from 'lucide-react'
import { useDeferredValue, useRef, useState } from 'react'
import { errorLabels } from '../../../base/decode/decode-error.labels.ts'
import { api } from '../../../../../session/api.ts'
import { path } from '../session.api.ts'
import { BytePreview } from '../../command/byte-preview.tsx'
import { CommandFields } from '../../command/command-fields.tsx'
import {
  fieldsOf,
  firstInput,
  neededFields,
  previewOf,
  shownFields,
  valuesOf,
  type CommandInput,
} from '../../command/command-input.ts'
import { kindLabels, valueProblems } from '../../command/command.labels.ts'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import styles from '../../command/command.module.css'
import { keptInputs, type Inputs } from './kept-input.ts'
import { ReservedCommand } from './reserved-command.tsx'
import { SendProblem } from './send-problem.tsx'
import { useFocusOnWrong } from './use-focus-on-wrong.ts'
import { useSend } from './use-send.ts'

interface CommandFormProps {
  session: ElementSession
  /** Why nothing can be sent at the moment. */
  refusal: string | undefined
}

const firstKind: SessionCommandKind = 'MplSelect'

/** A form for each kind of command, with a preview of the bytes it will send. */
export function CommandForm({ session, refusal }: CommandFormProps) {
  const { i18n, t } = useLingui()
  const [kind, setKind] = useState<SessionCommandKind>(firstKind)
  const [inputs, setInputs] = useState<Inputs>({})
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const [refusals, setRefusals] = useState(0)
  const { send, isSending, problem, forget } = useSend()
  const { isRestored } = useTypedDraft('command', {
    typed: { kind, inputs: keptInputs(inputs) },
    first: { kind: firstKind, inputs: {} },
    restore: (draft) => {
      setKind(draft.kind)
      setInputs(draft.inputs)
    },
  })
  const input = inputs[kind] ?? firstInput(kind)
  const { channel } = session
  const preview = previewOf(kind, useDeferredValue(input), channel?.longestData ?? 255)
  const isGuided = sessionCommands[kind].guided !== undefined
  const reserved = preview.kind === 'bytes' ? preview.reserved : undefined
  // An empty field is not an error until the form is submitted.
  const isSaid = preview.kind === 'field' && (isTried || preview.code !== 'required')

  const submit = async () => {
    setTried(true)
    if (refusal !== undefined) return
    const read = previewOf(kind, input, 255)
    if (read.kind !== 'bytes') return setRefusals((count) => count + 1)
    if (read.reserved) return
    const ran = await send((id) =>
      api.maple.post(`${path}/{id}/command`, {
        params: { id: session.id },
        body: { id, kind, values: valuesOf(kind, input) },
      }),
    )
    if (ran) setTried(false)
  }
  useFocusOnWrong(form, refusals)
  const change = (made: CommandInput) => {
    setInputs({ ...inputs, [kind]: { ...input, ...made } })
    forget()
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
      <div className={styles.kinds} role="radiogroup" aria-label={t`Kind of command`}>
        {sessionCommandKinds.map((each) => (
          <label key={each} className={styles.kind}>
            <input
              type="radio"
              name="kind"
              checked={each === kind}
              onChange={() => {
                setKind(each)
                setTried(false)
                forget()
              }}
            />
            {i18n._(kindLabels[each].label)}
          </label>
        ))}
      </div>
      <div className={styles.columns}>
        <div className={styles.inputs}>
          <p className="muted">
            <code>{kind}</code> {i18n._(kindLabels[kind].about)}
          </p>
          <CommandFields
            fields={fieldsOf(kind)}
            shown={isGuided ? [] : shownFields(kind, input)}
            needed={neededFields(kind, input)}
            input={input}
            onInput={change}
            problems={isSaid ? { [preview.field]: i18n._(valueProblems[preview.code]) } : {}}
          />
          {preview.kind === 'wrong' && isTried && (
            <p className="field-error">{i18n._(decodeText(preview.error))}</p>
          )}
          {isRestored && <output className="muted">{t`Restored what you typed.`}</output>}
          <SendProblem problem={problem} />
          {!isGuided && (
            <button
              type="submit"
              className="button primary"
              aria-disabled={refusal !== undefined || reserved !== undefined || isSending}
            >
              <Send size={16} aria-hidden />
              {isSending ? t`Sending…` : t`Send`}
            </button>
          )}
          {refusal !== undefined && !isGuided && <p className="field-hint">{refusal}</p>}
          {reserved && refusal === undefined && (
            <ReservedCommand reason={reserved} cplc={session.cplc} />
          )}
        </div>
        {preview.kind === 'bytes' && !isGuided && (
          <BytePreview commands={preview.commands} protocol={channel?.protocol} />
        )}
        {isGuided && (
          <Link
            to="/dashboard/maple/secure_elements/$cplc"
            params={{ cplc: session.cplc }}
            preload={false}
            className="button"
          >
            <RefreshCw size={16} aria-hidden />
            <Trans>Rotate keys on the page of the element</Trans>
          </Link>
        )}
        {preview.kind !== 'bytes' && !isGuided && (
          <p className="muted">
            <Trans>The bytes appear here as soon as the form is complete.</Trans>
          </p>
        )}
      </div>
    </form>
  )
}

const decodeText = ({ code, at, expected = '', found = '' }: DecodeError) =>
  errorLabels[code]({ at, expected, found })
