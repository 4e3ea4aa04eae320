import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { FieldTexts } from '../../../../../ui/form/form-values.ts'
import { useForm, type Form } from '../../../../../ui/form/use-form.ts'
import { notify } from '../../../../../ui/toast/notify.ts'
import { hexVersion } from '../../hex-version.ts'
import { refreshKeys } from './key.api.ts'
import { readKey } from './check-value.ts'
import {
  keyFieldOf,
  KeyFields,
  noKeys,
  sentKeys,
  useCheckValues,
  useKeyProblems,
  type Made,
} from './key-fields.tsx'
import {
  MasterFields,
  masterOf,
  noMaster,
  useMasterProblems,
  type MasterValues,
} from './master-fields.tsx'
import { OfDomain } from './of-domain.tsx'
import { readVersion } from './read-version.ts'
import { readWrapped } from './read-wrapped.ts'

interface ImportValues extends MasterValues {
  /** Empty for the issuer's. */
  domain: string
  version: string
  protocol: 'SCP02' | 'SCP03'
  source: 'keys' | 'wrapped' | 'master'
  /** What another Grove exported, as JSON, and the key that decrypts it. */
  wrapped: string
  transportKey: string
}

const algorithmOf = ({ protocol }: Pick<ImportValues, 'protocol'>) =>
  protocol === 'SCP03' ? 'AES' : 'DES'

/** Imports the keys of a card: three keys of its own, or how they are derived from master keys. */
export function ImportKeys({
  cplc,
  domains,
  onClose,
}: {
  cplc: string
  /** The AIDs of its supplementary domains. */
  domains: readonly string[]
  onClose: () => void
}) {
  const { t } = useLingui()
  const problemsOf = useKeyProblems()
  const wrappedProblems = ({ wrapped, transportKey }: ImportValues): FieldTexts => {
    const read = readWrapped(wrapped)
    const other = read && read.cplc !== cplc ? icSerial(read.cplc) : undefined
    return {
      ...(!read && { wrapped: t`These are not wrapped keys. Paste the whole file.` }),
      ...(other !== undefined && { wrapped: t`These keys belong to another card, ${other}.` }),
      ...(readKey('AES', transportKey).kind !== 'key' && {
        transportKey: t`Enter 32, 48 or 64 hex digits.`,
      }),
    }
  }
  const [made, setMade] = useState<Made>({})
  const masterProblems = useMasterProblems()
  const form = useForm<ImportValues>({
    values: {
      ...noKeys,
      domain: '',
      version: '30',
      protocol: 'SCP03',
      source: 'keys',
      wrapped: '',
      transportKey: '',
      ...noMaster('AES'),
    },
    check: (values) => ({
      version:
        readVersion(values.version) === undefined
          ? t`Enter a version from 01 to FF in hex.`
          : undefined,
      ...(values.source === 'master' && masterProblems(values)),
      ...(values.source === 'wrapped' && wrappedProblems(values)),
      ...(needsKeys(values) && problemsOf(values, algorithmOf(values), made)),
    }),
    submit: (values) =>
      send(cplc, values, (masterId) => {
        // A retry must not add them again.
        form.set({ masterId })
        void refreshKeys()
      }),
    fieldOf: (path) =>
      path === 'wrapped.transportKey'
        ? 'transportKey'
        : keyFieldOf(path.replace(/^wrapped\..*/, 'wrapped')),
    fieldOfCode: { already_exists: 'version' },
    onSaved: () => {
      void refreshKeys()
      notify({ text: t`The keys are imported.` })
      onClose()
    },
    isOnce: true,
  })
  const { values } = form
  useCheckValues(values, algorithmOf(values), setMade)
  return (
    <FormDialog title={t`Import keys`} form={form} submitLabel={t`Import`} onClose={onClose}>
      <p className="muted">
        <Trans>
          Nothing is sent to the card. The keys are encrypted, and Grove never shows them.
        </Trans>
      </p>
      {domains.length > 0 && (
        <SelectField
          label={t`Security domain`}
          value={values.domain}
          words={{
            '': t`that of the issuer`,
            ...Object.fromEntries(domains.map((aid) => [aid, aid])),
          }}
          onChange={(domain) => form.set({ domain })}
        />
      )}
      {!domains.includes(values.domain) && <OfDomain domain={values.domain} />}
      <SelectField
        label={t`Secure channel`}
        value={values.protocol}
        words={{ SCP03: 'SCP03 (AES)', SCP02: 'SCP02 (3DES)' }}
        onChange={(protocol) =>
          form.set({
            protocol,
            ...noMaster(algorithmOf({ protocol })),
          })
        }
      />
      <Field
        label={t`Key version`}
        hint={t`In hex, as the card reports it`}
        {...codeField}
        {...form.input('version')}
      />
      <SelectField
        label={t`The keys are`}
        value={values.source}
        words={{
          keys: t`those of this card`,
          wrapped: t`exported by another Grove`,
          master: t`derived from master keys`,
        }}
        onChange={(source) => form.set({ source })}
      />
      {values.source === 'wrapped' && <WrappedFields form={form} />}
      {values.source === 'master' && <MasterFields form={form} algorithm={algorithmOf(values)} />}
      {needsKeys(values) && <KeyFields form={form} algorithm={algorithmOf(values)} made={made} />}
    </FormDialog>
  )
}

const needsKeys = ({ source, masterId }: ImportValues) =>
  source === 'keys' || (source === 'master' && masterId === '')

function WrappedFields({ form }: { form: Form<ImportValues> }) {
  const { t } = useLingui()
  return (
    <>
      <AreaField
        label={t`Wrapped keys`}
        hint={t`The contents of the file that was saved there`}
        rows={5}
        className="mono"
        name="wrapped"
        value={form.values.wrapped}
        error={form.errors.wrapped}
        onChange={({ target }) => {
          const read = readWrapped(target.value)
          form.set({
            wrapped: target.value,
            // The file says which kind they are.
            ...(read && {
              protocol: read.protocol,
              version: hexVersion(read.version),
              domain: read.domain ?? '',
            }),
          })
        }}
      />
      <Field
        label={t`Transport key`}
        hint={t`An AES key in hex`}
        {...codeField}
        {...form.input('transportKey')}
      />
    </>
  )
}

async function send(
  cplc: string,
  values: ImportValues,
  onMaster: (id: string) => void,
): Promise<unknown> {
  const { protocol, diversification, source, domain } = values
  const algorithm = algorithmOf(values)
  const set = {
    cplc,
    ...(domain && { domain }),
    protocol,
    version: readVersion(values.version) ?? 0,
  }
  if (source === 'keys')
    return api.maple.post('/api/maple/se/keys', {
      body: { ...set, ...sentKeys(values, algorithm) },
    })
  const wrapped = readWrapped(values.wrapped)
  if (source === 'wrapped' && wrapped)
    return api.maple.post('/api/maple/se/keys', {
      body: {
        ...set,
        wrapped: { ...wrapped.keys, transportKey: values.transportKey.replaceAll(/\s/g, '') },
      },
    })
  const masterId = await masterOf(values, algorithm, onMaster)
  return api.maple.post('/api/maple/se/keys', { body: { ...set, masterId, diversification } })
}
