import { XMLParser } from 'fast-xml-parser'

/** Makes a parser of the engine's XML. Attributes become members with their text; these elements become lists. */
export function engineXmlParser(lists: readonly string[]): XMLParser {
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    // Without it numeric references such as `&#36;` stay as they are.
    htmlEntities: true,
    isArray: (name) => lists.includes(name),
  })
}
