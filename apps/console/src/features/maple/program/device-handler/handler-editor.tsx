import type {
  DeviceHandler,
  DeviceHandlerResult,
  DeviceHandlerTest,
} from '@grove/contract/maple/program/device-handler'
import { isExpected } from '@grove/contract/maple/program/device-handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, Trash2 } from 'lucide-react'
import { ConflictNotice } from '../../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import type { CodeName } from '../code/code-api.ts'
import { ClashingCode } from '../code/clashing-code.tsx'
import { DraftEditor } from '../code/draft-editor.tsx'
import { CodeEditor } from '../code/lazy-code-editor.ts'
import { jsonText, shortJson } from '../../base/json-text.ts'
import styles from './device-handler.module.css'
import { useMarks } from '../code/use-code-problem.ts'
import { useFailureText } from './failure-text.ts'
import { spacedHex } from './payload-text.ts'
import type { HandlerDraft } from './use-handler-draft.ts'

interface HandlerEditorProps {
  handler: DeviceHandler
  draft: HandlerDraft
}

/** The code and its golden tests, saved together. */
export function HandlerEditor({ handler, draft }: HandlerEditorProps) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const { form, problem } = draft
  const labels: Record<string, string> = {
    code: t({ message: 'Code', context: 'of a device handler' }),
    tests: t({ message: 'Tests', context: 'of a device handler' }),
  }
  return (
    <FormShell form={form} place="section" submitLabel={t`Save`} draft={`handler ${handler.id}`}>
      <Section title={t({ message: 'Draft', context: 'of a device handler' })}>
        <DraftEditor
          text={form.values.code}
          label={t`Code of the device handler`}
          names={useHandlerNames()}
          problems={useMarks(problem)}
          isReadOnly={handler.rights.change !== null}
          onChange={(code) => form.set({ code })}
          onSave={() => form.props.ref.current?.requestSubmit()}
          wrong={problem && failureText(problem)}
        />
      </Section>
      <Tests draft={draft} />
      <ConflictNotice
        form={form}
        labelOf={(name) => labels[name] ?? name}
        renderWhole={(value, name) =>
          name === 'code' ? (
            <ClashingCode code={String(value)} base={form.base.code} />
          ) : (
            <ClashingCode code={testsText(String(value))} base={testsText(form.base.tests)} />
          )
        }
      />
    </FormShell>
  )
}

const testsText = (tests: string) => jsonText(JSON.parse(tests))

function Tests({ draft: { tests, setTests, results } }: { draft: HandlerDraft }) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Golden tests`}
      description={t`All tests must pass before a version is published.`}
      focusOn={tests.length}
    >
      {tests.length === 0 && (
        <p className="muted">
          <Trans>None yet. Try a payload and save it as a test.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {tests.map((test, at) => (
          <GoldenTest
            // oxlint-disable-next-line react/no-array-index-key -- two tests may be identical
            key={at}
            test={test}
            result={results?.[at]}
            onChange={(changed) =>
              setTests(
                changed ? tests.with(at, changed) : tests.filter((_each, place) => place !== at),
              )
            }
          />
        ))}
      </ul>
    </Section>
  )
}

interface GoldenTestProps {
  test: DeviceHandlerTest
  /** Undefined while it runs. */
  result: DeviceHandlerResult | undefined
  onChange: (test: DeviceHandlerTest | undefined) => void
}

function GoldenTest({ test, result, onChange }: GoldenTestProps) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const { name, input, expected } = test
  const isPassing = result && isExpected(expected, result)
  const wanted = 'value' in expected ? jsonText(expected.value) : expected.error
  const given = result && ('value' in result ? jsonText(result.value) : failureText(result.error))
  return (
    <li>
      <div className={styles.head}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {result && (
          <StateBadge
            kind={isPassing ? 'good' : 'bad'}
            text={
              isPassing
                ? t({ message: 'Passes', context: 'a test' })
                : t({ message: 'Fails', context: 'a test' })
            }
          />
        )}
        <button
          type="button"
          className={`button quiet icon ${styles.end}`}
          {...iconName(t`Remove ${name}`)}
          onClick={() => onChange(undefined)}
        >
          <Trash2 size={16} aria-hidden />
        </button>
      </div>
      <code>
        {input.call === 'decode'
          ? `decode ${spacedHex(input.hex)}`
          : `encode ${input.name} ${shortJson(input.data)}`}
      </code>
      {given !== undefined && !isPassing && (
        <div className={styles.comparison}>
          <CodeEditor
            key={`${wanted}\n${given}`}
            text={given}
            original={wanted}
            label={t`Input and output of ${name}`}
            isReadOnly
          />
        </div>
      )}
      {result && !isPassing && (
        <div className="actions">
          <PanelAction
            icon={Check}
            label={t`Expect this result`}
            onAct={() => onChange({ ...test, expected: expectedOf(result) })}
          />
        </div>
      )}
    </li>
  )
}

/** Makes a result the expectation of a test. */
export const expectedOf = (result: DeviceHandlerResult): DeviceHandlerTest['expected'] =>
  'value' in result ? { value: result.value } : { error: result.error.message.slice(0, 500) }

/** The editor's completions in a handler. */
function useHandlerNames(): CodeName[] {
  const { t } = useLingui()
  return [
    { name: 'decode', signature: '(input)', text: t`Decodes a payload: telemetry and reported.` },
    { name: 'encode', signature: '(command)', text: t`Encodes a command as bytes.` },
    { name: 'bytes', type: 'property', text: t`The payload as numbers from 0 to 255.` },
    { name: 'hex', type: 'property', text: t`The payload as text, two digits a byte.` },
    { name: 'base64', type: 'property' },
    { name: 'port', type: 'property' },
    { name: 'topic', type: 'property' },
    { name: 'sentAt', type: 'property', text: t`By the device’s clock, in milliseconds.` },
    { name: 'receivedAt', type: 'property', text: t`By the platform’s clock, in milliseconds.` },
    { name: 'telemetry', type: 'property', text: t`Its numbers are plotted in charts.` },
    { name: 'reported', type: 'property', text: t`Changes the reported state.` },
  ]
}
