/**
 * Names of data objects by tag, and by parent tag where a tag is ambiguous (GlobalPlatform Card
 * Specification 2.3.1, 11.3 to 11.6 and appendix H; ISO/IEC 7816-4 for FCI).
 */
const names = {
  '42': 'issuerNumber',
  '45': 'cardImageNumber',
  '4F': 'aid',
  '5C': 'tagList',
  '5F50': 'domainManagerUrl',
  '66': 'cardData',
  '67': 'cardCapabilities',
  '6F': 'fciTemplate',
  '73': 'securityDomainData',
  '84': 'dfName',
  '9F65': 'maximumDataLength',
  '9F6E': 'productionData',
  '9F70': 'lifeCycle',
  '9F7F': 'cplc',
  A5: 'fciProprietary',
  C0: 'keyInformation',
  C1: 'sequenceCounter',
  C2: 'confirmationCounter',
  C3: 'dapSignature',
  C4: 'loadFileDataBlock',
  C5: 'privileges',
  C9: 'applicationParameters',
  CF: 'keyDerivationData',
  E0: 'keyInformationTemplate',
  E2: 'dapBlock',
  E3: 'registryEntry',
  EA: 'uiccParameters',
  EF: 'systemParameters',
  FF21: 'cardResources',
  '06': 'objectIdentifier',
  '73/60': 'platformVersion',
  '73/63': 'cardIdentification',
  '73/64': 'secureChannel',
  '73/65': 'cardConfiguration',
  '73/66': 'chipDetails',
  '73/67': 'trustPoint',
  '67/A0': 'secureChannelCapabilities',
  'A0/80': 'secureChannelProtocol',
  'A0/81': 'secureChannelOptions',
  'A0/82': 'secureChannelKeySizes',
  '67/81': 'domainPrivileges',
  '67/82': 'applicationPrivileges',
  '67/83': 'hashAlgorithms',
  '67/84': 'loadFileCiphers',
  '67/85': 'tokenCiphers',
  '67/86': 'receiptCiphers',
  '67/87': 'dapCiphers',
  '67/88': 'keyParameters',
  'E3/84': 'moduleAid',
  'E3/C4': 'loadFileAid',
  'E3/CC': 'securityDomainAid',
  'E3/CE': 'loadFileVersion',
  'E3/CF': 'implicitSelection',
  'EF/C6': 'codeMemory',
  'EF/C7': 'volatileMemory',
  'EF/C8': 'nonVolatileMemory',
  'E4/D0': 'keyId',
  'E4/D2': 'keyVersion',
  'FF21/81': 'installedApplications',
  'FF21/82': 'freeNonVolatileMemory',
  'FF21/83': 'freeVolatileMemory',
} as const

export type TagName = (typeof names)[keyof typeof names] | 'dataObject'

const known: Partial<Record<string, TagName>> = names

/** The name of a tag in hex, inside the parent object `parent`. */
export const tagName = (tag: string, parent = ''): TagName =>
  known[`${parent}/${tag}`] ?? known[tag] ?? 'dataObject'

/** Whether a reply can begin with this tag; used to detect pasted replies. */
export const isKnownTag = (tag: string): boolean => tag in names
