/**
 * The characters that are escaped in an attribute of an answer to the engine: those with a meaning in XML, control
 * characters (a line end would begin a new line for the preprocessor), the `$` of `$${`, and the `x` of `x-pre-process`
 * in any case, since a line that contains these words is dropped or obeyed.
 */
// oxlint-disable-next-line no-control-regex -- control characters are among what is replaced
const special = /[<>&"'\u0001-\u001f\u007f]|\$(?=\$\{)|x(?=-pre-process)/gi

/**
 * Writes a value as the text of an XML attribute that the engine reads back unchanged. NUL, which XML cannot express,
 * is left out: the engine would end the line there.
 */
export function attributeText(value: string): string {
  return value.replaceAll('\0', '').replaceAll(special, (character) => `&#${character.charCodeAt(0)};`)
}
