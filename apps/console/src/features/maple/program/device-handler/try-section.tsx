import type {
  DeviceHandler,
  DeviceHandlerInput,
  DeviceHandlerResult,
} from '@grove/contract/maple/program/device-handler'
import {
  maxTestNameLength,
  maxTopicLength,
  maxHandlerTests,
  maxPort,
} from '@grove/contract/maple/program/device-handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { checkFields, codeField, Fields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { jsonText, readJson } from '../../base/json-text.ts'
import { usePaused } from '../code/use-code-problem.ts'
import { tryQuery } from './device-handler.api.ts'
import styles from './device-handler.module.css'
import { useFailureText } from './failure-text.ts'
import { expectedOf } from './handler-editor.tsx'
import { PastMessages } from './past-messages.tsx'
import { hexOf } from './payload-text.ts'
import type { HandlerDraft } from './use-handler-draft.ts'

interface TrySectionProps {
  handler: DeviceHandler
  draft: HandlerDraft
}

interface Typed {
  call: 'decode' | 'encode'
  payload: string
  port: string
  topic: string
  name: string
  data: string
}

const nothing: Typed = {
  call: 'decode',
  payload: '',
  port: '',
  topic: '',
  name: 'interval',
  data: '{"minutes": 15}',
}

/** A payload or a command, and what the code makes of it, updated immediately. */
export function TrySection({ handler, draft }: TrySectionProps) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const [typed, setTyped] = useState(nothing)
  const [keeping, setKeeping] = useState<{
    input: DeviceHandlerInput
    result: DeviceHandlerResult
  }>()
  const set = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }))
  const { call, payload, port, topic, name, data } = typed
  const found = inputOf(typed)
  const input = 'input' in found ? found.input : undefined
  const paused = usePaused(input && JSON.stringify(input), 300)
  const { data: answer } = useQuery({
    ...tryQuery(draft.code, paused === undefined ? [] : [JSON.parse(paused) as DeviceHandlerInput]),
    enabled: handler.rights.run === null && paused !== undefined && draft.code.trim() !== '',
  })
  const isShown = input !== undefined && paused === JSON.stringify(input)
  const result = isShown ? answer?.results[0] : undefined
  const wrong = 'wrong' in found ? found.wrong : undefined
  return (
    <Section title={t({ message: 'Try it', context: 'a device handler' })}>
      <div className={styles.try}>
        <SelectField
          label={t`Input`}
          value={call}
          words={{ decode: t`Decode a payload`, encode: t`Encode a command` }}
          onChange={(chosen) => set({ call: chosen })}
        />
        {call === 'decode' ? (
          <>
            <Field
              label={t`Payload`}
              hint={t`In hex or base64`}
              {...codeField}
              value={payload}
              error={wrong === 'payload' ? t`This is neither hex nor base64.` : undefined}
              onChange={({ target }) => set({ payload: target.value })}
            />
            <div className={styles.pair}>
              <Field
                label={t`Port (optional)`}
                inputMode="numeric"
                value={port}
                error={wrong === 'port' ? t`Enter a whole number from 0 to ${maxPort}.` : undefined}
                onChange={({ target }) => set({ port: target.value })}
              />
              <Field
                label={t`Topic (optional)`}
                maxLength={maxTopicLength}
                {...codeField}
                value={topic}
                error={wrong === 'topic' ? t`A topic has no spaces.` : undefined}
                onChange={({ target }) => set({ topic: target.value })}
              />
            </div>
            <PastMessages
              onChoose={(chosen) =>
                set({
                  payload: chosen.hex,
                  port: chosen.port === undefined ? '' : String(chosen.port),
                  topic: chosen.topic ?? '',
                })
              }
            />
          </>
        ) : (
          <>
            <Field
              label={t`Command`}
              {...codeField}
              value={name}
              error={
                wrong === 'name'
                  ? t`A name begins with a letter and has letters, digits, dots and hyphens.`
                  : undefined
              }
              onChange={({ target }) => set({ name: target.value })}
            />
            <Field
              label={t`Data as JSON`}
              {...codeField}
              value={data}
              error={wrong === 'data' ? t`This is not JSON.` : undefined}
              onChange={({ target }) => set({ data: target.value })}
            />
          </>
        )}
        <output aria-label={t`Result`}>
          {result && 'value' in result && (
            <pre className={styles.code}>
              {result.value === null ? t`The command is sent unchanged.` : jsonText(result.value)}
            </pre>
          )}
          {result && 'error' in result && (
            <p className={styles.problem}>{failureText(result.error)}</p>
          )}
          {!result && handler.rights.run !== null && (
            <p className="muted">
              <Trans>You do not have the right to run programs.</Trans>
            </p>
          )}
        </output>
        {result && input && handler.rights.change === null && (
          <div className="actions">
            <PanelAction
              icon={FlaskConical}
              label={t`Save as a test…`}
              refusal={
                draft.tests.length >= maxHandlerTests
                  ? t`A handler can have at most ${maxHandlerTests} tests.`
                  : undefined
              }
              onAct={() => setKeeping({ input, result })}
            />
          </div>
        )}
      </div>
      {keeping && (
        <KeepTest
          onClose={() => setKeeping(undefined)}
          onKeep={(given) => {
            const expected = expectedOf(keeping.result)
            draft.setTests([...draft.tests, { name: given, input: keeping.input, expected }])
            setKeeping(undefined)
          }}
        />
      )}
    </Section>
  )
}

interface KeepTestProps {
  onClose: () => void
  onKeep: (name: string) => void
}

function KeepTest({ onClose, onKeep }: KeepTestProps) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const fields = {
    name: {
      label: t`Name of the test`,
      hint: t`Such as “Battery empty”`,
      maxLength: maxTestNameLength,
      autoComplete: 'off',
      problemOf: (text: string) => nameProblem(text),
    },
  }
  const form = useForm<{ name: string }, string>({
    values: { name: '' },
    check: (values) => checkFields(fields, values),
    submit: ({ name }) => Promise.resolve(name.trim()),
    onSaved: onKeep,
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Save as a golden test`}
      form={form}
      submitLabel={t({ message: 'Save', context: 'a test' })}
      onClose={onClose}
    >
      <Fields form={form} fields={fields} />
    </FormDialog>
  )
}

/** The typed input; its fields are undefined while nothing has been typed. */
function inputOf(typed: Typed): { input: DeviceHandlerInput } | { wrong: keyof Typed } | object {
  if (typed.call === 'encode') {
    const data = readJson(typed.data)
    if (!/^[A-Za-z][\w.-]{0,63}$/.test(typed.name)) return { wrong: 'name' }
    if (!data) return { wrong: 'data' }
    return { input: { call: 'encode', name: typed.name, data: data.value } }
  }
  if (typed.payload.trim() === '') return {}
  const hex = hexOf(typed.payload)
  const port = typed.port.trim()
  if (hex === undefined) return { wrong: 'payload' }
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) <= maxPort)) return { wrong: 'port' }
  if (typed.topic !== '' && !/^[!-~]+$/.test(typed.topic)) return { wrong: 'topic' }
  return {
    input: {
      call: 'decode',
      hex,
      ...(port !== '' && { port: Number(port) }),
      ...(typed.topic !== '' && { topic: typed.topic }),
    },
  }
}
