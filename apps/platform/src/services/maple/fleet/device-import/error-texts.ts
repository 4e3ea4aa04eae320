import type { ImportLanguage, RowProblem } from '@grove/contract/maple/fleet/device-import.rules'

type Params = Record<string, string | number>
type Texts = Record<RowProblem, (params: Params) => string>

const en: Texts = {
  cell_count: ({ found, expected }) =>
    `The row has ${found} cells, the header ${expected}. Give every row as many cells as the header.`,
  stray_quote: () =>
    'A quote stands inside a cell without quotes. Put the cell in quotes and double each quote in it.',
  text_after_quote: () =>
    'Text follows a closing quote. Put the whole cell in quotes and double each quote in it.',
  open_quote: () => 'A quote is opened and not closed. Close it at the end of the cell.',
  row_too_long: ({ limit }) =>
    `The row is longer than ${limit} bytes. Shorten it, or close a quote that is still open.`,
  not_utf8: ({ byte, at }) => `The byte ${byte} at ${at} is not UTF-8. Save the file as UTF-8.`,
  not_json: () => 'The line is not a JSON object. Write one object per line.',
  json_too_deep: ({ limit }) =>
    `The JSON has more than ${limit} nested levels of arrays and objects. Flatten it.`,
  unknown_key: ({ key }) =>
    `The key “${key}” is not in the first objects of the file. Add it to the first one.`,
  wrong_kind: () => 'The value has the wrong type. Give it as text.',
  missing: () => 'The id is missing. Give every device an id.',
  bad_id: ({ limit }) =>
    `An id has 1 to ${limit} letters of ASCII, digits, dots, hyphens, underscores and colons, and begins with a letter or digit.`,
  name_too_long: ({ limit }) => `The name is longer than ${limit} characters. Shorten it.`,
  name_unreadable: () => 'The text contains invisible characters. Remove them.',
  unknown_value: ({ allowed }) => `Use one of: ${allowed}.`,
  cplc_not_hex: ({ found }) => `A CPLC has only hex digits, not “${found}”.`,
  cplc_length: ({ digits, expected }) =>
    `A CPLC has ${expected} hex digits; this one has ${digits}.`,
  too_many_elements: ({ limit }) => `A device can have at most ${limit} elements.`,
  bad_tag: ({ limit }) => `A tag can have at most ${limit} visible characters and no comma.`,
  too_many_tags: ({ limit }) => `A device can have at most ${limit} tags.`,
  bad_attribute: ({ key, type }) =>
    `The attribute ${key} is not of the type ${type}, or its key is not lower-case letters, digits and underscores.`,
  too_many_attributes: ({ limit }) => `A device can have at most ${limit} attributes.`,
  unknown_service: () => 'There is no such service provider. Create it first.',
  service_suspended: () => 'The service provider is suspended. Resume it first.',
  repeated: ({ row }) => `Row ${row} has the same. Keep one of the two.`,
  id_taken: () => 'Another device has this id. Use another one.',
  // Without its id, the device is another service provider's.
  element_elsewhere: ({ device }) =>
    device === undefined
      ? 'The chip of this CPLC belongs to another device. Check the CPLC.'
      : `The chip of this CPLC belongs to the device ${device}. Detach it there first.`,
  inner_id_taken: ({ device }) =>
    device === undefined
      ? 'Another device has this inner id. Use another one.'
      : `The device ${device} has this inner id. Use another one.`,
  transition_refused: ({ from, to }) =>
    `A device that is ${from} cannot become ${to}. Leave the state empty to keep it.`,
}

const ru: Texts = {
  cell_count: ({ found, expected }) =>
    `Ячеек в строке: ${found}, в заголовке: ${expected}. В каждой строке должно быть столько же ячеек.`,
  stray_quote: () =>
    'Кавычка внутри ячейки без кавычек. Возьмите ячейку в кавычки и удвойте каждую кавычку в ней.',
  text_after_quote: () =>
    'После закрывающей кавычки идёт текст. Возьмите в кавычки всю ячейку и удвойте каждую кавычку в ней.',
  open_quote: () => 'Кавычка не закрыта. Закройте её в конце ячейки.',
  row_too_long: ({ limit }) =>
    `Строка длиннее ${limit} байт. Сократите её или закройте незакрытую кавычку.`,
  not_utf8: ({ byte, at }) => `Байт ${byte} на месте ${at} не в UTF-8. Сохраните файл в UTF-8.`,
  not_json: () => 'Строка не является объектом JSON. Пишите по одному объекту в строке.',
  json_too_deep: ({ limit }) =>
    `В JSON больше ${limit} уровней массивов и объектов. Уменьшите вложенность.`,
  unknown_key: ({ key }) =>
    `Ключа «${key}» нет в первых объектах файла. Добавьте его в первый объект.`,
  wrong_kind: () => 'Значение другого вида. Запишите его текстом.',
  missing: () => 'Нет идентификатора. Укажите его у каждого устройства.',
  bad_id: ({ limit }) =>
    `В идентификаторе от 1 до ${limit} латинских букв, цифр, точек, дефисов, подчёркиваний и двоеточий; первой идёт буква или цифра.`,
  name_too_long: ({ limit }) => `Название длиннее ${limit} символов. Сократите его.`,
  name_unreadable: () => 'В тексте есть невидимые символы. Удалите их.',
  unknown_value: ({ allowed }) => `Допустимые значения: ${allowed}.`,
  cplc_not_hex: ({ found }) => `В CPLC только шестнадцатеричные цифры, без «${found}».`,
  cplc_length: ({ digits, expected }) =>
    `В CPLC ${expected} шестнадцатеричных цифр, здесь: ${digits}.`,
  too_many_elements: ({ limit }) => `Элементов у устройства может быть не больше ${limit}.`,
  bad_tag: ({ limit }) => `В теге не больше ${limit} видимых символов и нет запятых.`,
  too_many_tags: ({ limit }) => `Тегов у устройства может быть не больше ${limit}.`,
  bad_attribute: ({ key, type }) =>
    `Атрибут ${key} не имеет типа ${type}, или в его ключе не только строчные латинские буквы, цифры и подчёркивания.`,
  too_many_attributes: ({ limit }) => `Атрибутов у устройства может быть не больше ${limit}.`,
  unknown_service: () => 'Такого сервис-провайдера нет. Сначала создайте его.',
  service_suspended: () => 'Сервис-провайдер приостановлен. Сначала возобновите его.',
  repeated: ({ row }) => `То же значение есть в строке ${row}. Оставьте одну из двух.`,
  id_taken: () => 'Такой идентификатор уже есть у другого устройства. Укажите другой.',
  element_elsewhere: ({ device }) =>
    device === undefined
      ? 'Чип этого CPLC принадлежит другому устройству. Проверьте CPLC.'
      : `Чип этого CPLC принадлежит устройству ${device}. Сначала отсоедините его там.`,
  inner_id_taken: ({ device }) =>
    device === undefined
      ? 'Такой внутренний идентификатор уже есть у другого устройства. Укажите другой.'
      : `Этот внутренний идентификатор у устройства ${device}. Укажите другой.`,
  transition_refused: ({ from, to }) =>
    `Устройство из состояния ${from} не может перейти в ${to}. Оставьте состояние пустым, чтобы не менять его.`,
}

const texts: Record<ImportLanguage, Texts> = { en, ru }

/** What is wrong, and how to fix it. */
export const errorText = (language: ImportLanguage, code: RowProblem, params: Params): string =>
  texts[language][code](params)

export const errorColumns: Record<ImportLanguage, readonly string[]> = {
  en: ['row', 'column', 'value', 'problem', 'code'],
  ru: ['строка', 'столбец', 'значение', 'ошибка', 'код'],
}
