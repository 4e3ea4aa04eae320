export type Severity = 'error' | 'warning'

interface Rule {
  severity: Severity
  /** `{name}` stands for the parameter of that name. */
  message: string
  fix: string
}

const rule = (severity: Severity, message: string, fix: string): Rule => ({
  severity,
  message,
  fix,
})

const zipAgain = 'Zip the folder again with an ordinary zip program and upload the new file.'
const rename = 'Rename the file, change the references to it, and zip the folder again.'

/** Every rule of the package check. Ids are stable: stored reports and translations use them. */
export const packageRules = {
  'not-a-zip': rule('error', 'The file is not a zip archive.', 'Upload a .zip or .ma file.'),
  truncated: rule(
    'error',
    'The archive is truncated: its end is missing.',
    'Create the archive again and check that it opens before you upload it.',
  ),
  'empty-archive': rule(
    'error',
    'The archive contains no files.',
    'Zip the contents of your build folder.',
  ),
  'zip-too-large': rule(
    'error',
    'The archive is {bytes} bytes; the limit is {limit}.',
    'Remove unused files and compress images and media.',
  ),
  spanned: rule('error', 'The archive is one part of a set of several files.', zipAgain),
  zip64: rule(
    'error',
    'The archive uses the zip64 format, which a package of this size does not need.',
    'Zip the folder again from files on disk, without the zip64 option.',
  ),
  'trailing-data': rule('error', 'The archive is followed by {bytes} more bytes.', zipAgain),
  'prepended-data': rule(
    'error',
    'The archive starts with {bytes} bytes that belong to no file.',
    zipAgain,
  ),
  'unlisted-data': rule(
    'error',
    'The archive contains {bytes} bytes that belong to no file, at offset {offset}.',
    zipAgain,
  ),
  'central-directory': rule(
    'error',
    'The list of files at the end of the archive is damaged: {reason}.',
    zipAgain,
  ),
  'local-header': rule(
    'error',
    'The header of this file inside the archive is damaged or missing.',
    zipAgain,
  ),
  'header-mismatch': rule(
    'error',
    'The archive contains contradictory information about this file: {field}.',
    zipAgain,
  ),
  'overlapping-entries': rule(
    'error',
    'This file shares its bytes in the archive with {other}.',
    zipAgain,
  ),
  encrypted: rule('error', 'This file is encrypted.', 'Zip the folder again without a password.'),
  'compression-method': rule(
    'error',
    'This file is packed with method {method}; only stored (0) and deflate (8) are allowed.',
    'Zip the folder again with the ordinary deflate method.',
  ),
  'special-file': rule(
    'error',
    'This entry is a link or a device (mode {mode}), not a file.',
    'Replace it with the real file and zip the folder again.',
  ),
  'folder-with-data': rule('error', 'This entry is a folder but contains data.', zipAgain),
  'path-traversal': rule(
    'error',
    'This path climbs out of the package folder.',
    'Zip the folder itself, so that no path contains "..".',
  ),
  'path-absolute': rule(
    'error',
    'This path is absolute.',
    'Zip the folder with relative paths: no leading slash and no drive letter.',
  ),
  'path-backslash': rule(
    'error',
    'This path uses a backslash.',
    'Zip the folder with a program that writes "/" between folder names.',
  ),
  'path-not-clean': rule(
    'error',
    'This path has an empty or "." part.',
    'Zip the folder again with plain relative paths.',
  ),
  'name-too-long': rule('error', 'This name is {bytes} bytes long; the limit is {limit}.', rename),
  'name-character': rule(
    'error',
    'This name contains a character that is not allowed: {code}.',
    rename,
  ),
  'name-ending': rule('error', 'A part of this path ends with a dot or a space.', rename),
  'name-reserved': rule(
    'error',
    'A name in this path is reserved for a device on Windows.',
    rename,
  ),
  'name-escape': rule(
    'error',
    'This name contains a percent sign and two digits, which a browser reads as another character.',
    rename,
  ),
  'name-not-utf8': rule(
    'error',
    'This name is not written in UTF-8.',
    'Zip the folder with UTF-8 names, or use English letters in file names.',
  ),
  'name-mixed-scripts': rule(
    'warning',
    'This name mixes scripts: {letter} ({code}) looks like the Latin {latin}.',
    rename,
  ),
  'name-look-alike': rule(
    'warning',
    'This path looks like {other} but has letters of another script.',
    rename,
  ),
  'duplicate-name': rule(
    'error',
    'This path cannot be told from {other}: names must differ by more than case.',
    rename,
  ),
  'too-many-files': rule(
    'error',
    'The package has more than {limit} files.',
    'Remove unused files or bundle small ones together.',
  ),
  'too-deep': rule(
    'error',
    'This file is nested too deeply: {depth} folders; the limit is {limit}.',
    'Move the file to a folder nearer the root.',
  ),
  'file-too-large': rule(
    'error',
    'This file is {bytes} bytes; the limit is {limit}.',
    'Split the file or compress it further.',
  ),
  'inflated-too-large': rule(
    'error',
    'Together, the unpacked files exceed {limit} bytes.',
    'Remove unused files and compress images and media.',
  ),
  'compression-ratio': rule(
    'error',
    'This file unpacks to more than {limit} times its packed size.',
    'Remove the padding from the file, or store it without compression.',
  ),
  'size-mismatch': rule(
    'error',
    'The unpacked size of this file is not the declared {declared} bytes.',
    zipAgain,
  ),
  'checksum-mismatch': rule('error', 'This file does not match its checksum.', zipAgain),
  'corrupt-data': rule('error', 'The data of this file cannot be unpacked.', zipAgain),
  'nested-archive': rule(
    'error',
    'This file is itself an archive.',
    'Unpack it and put its files in the package instead.',
  ),
  'nested-in-folder': rule(
    'error',
    'All files are inside `{folder}/`.',
    'Zip the contents of `{folder}`, not the folder itself.',
  ),
  'start-page-missing': rule(
    'error',
    'There is no start page: index.html is not at the root of the package.',
    'Put index.html at the root, or create a W3C package with manifest.json, app.js, app.css and pages/.',
  ),
  'required-file-missing': rule(
    'error',
    'A W3C package needs {file} at its root.',
    'Add {file}; app.css may be empty.',
  ),
  'manifest-too-large': rule(
    'error',
    'manifest.json has more than {limit} bytes.',
    'Keep data out of the manifest.',
  ),
  'manifest-not-json': rule(
    'error',
    'manifest.json is not a JSON object in UTF-8.',
    'Check the file with a JSON validator and save it as UTF-8.',
  ),
  'manifest-too-deep': rule(
    'error',
    'manifest.json has more than {limit} levels of arrays and objects.',
    'Use fewer levels.',
  ),
  'manifest-field-missing': rule(
    'error',
    'manifest.json lacks {field}.',
    'Add {field} to manifest.json.',
  ),
  'manifest-field-type': rule(
    'error',
    'In manifest.json, {field} must be {expected}.',
    'Correct {field} in manifest.json.',
  ),
  'manifest-field-misplaced': rule(
    'error',
    'In manifest.json, {field} is inside version.',
    'Move {field} to the top level of manifest.json.',
  ),
  'manifest-version-name': rule(
    'warning',
    'In manifest.json, version.name is not of the form X.Y.Z.',
    'Use three numbers, for example 1.2.0.',
  ),
  'manifest-file-missing': rule(
    'error',
    'manifest.json names {file}, which is not in the package.',
    'Add {file} or correct {field} in manifest.json.',
  ),
  'absolute-reference': rule(
    'warning',
    'This file refers to {reference} from the root of the host ({count} such in the file).',
    'Use a relative reference: a package is not served from the root of a host.',
  ),
  'system-files': rule(
    'warning',
    'The package contains {count} files left by the operating system, such as {example}.',
    'Leave them out when you zip the folder.',
  ),
} satisfies Record<string, Rule>

export type PackageRuleId = keyof typeof packageRules
